import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";

interface Route<T> {
  readonly method: string;
  readonly path: string;
  readonly handler: T;
}

/** Router for literal segments next to parameters, which hono's `RegExpRouter` does not support. */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #routes: Route<T>[] = [];
  #match: Router<T>["match"] | null = null;

  add(method: string, path: string, handler: T): void {
    this.#routes.push({ method, path, handler });
    this.#match = null;
  }

  match(method: string, path: string): Result<T> {
    return (this.#match ??= createMatcher(this.#routes))(method, path);
  }
}

function createMatcher<T>(routes: readonly Route<T>[]): Router<T>["match"] {
  const [literal, others] = [new TrieRouter<T>(), new RegExpRouter<T>()];
  const literals = findLiteralPaths(routes);
  for (const { method, path, handler } of routes) {
    const isLiteral = literals.get(method)?.has(path) ?? false;
    // Middleware for all paths is in both routers.
    if (isLiteral || path.includes("*")) literal.add(method, path, handler);
    if (!isLiteral) others.add(method, path, handler);
  }
  /** Expressions of the literal paths, by method. */
  const patterns = new Map(
    [...literals].map(([method, paths]) => [method, [...paths].map(patternOf)]),
  );
  return (method, path) => {
    const isLiteral = patterns.get(method)?.some((pattern) => pattern.test(path));
    return (isLiteral ? literal : others).match(method, path);
  };
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);

/** Returns by method the paths with a literal segment where another path has a parameter. */
function findLiteralPaths(routes: readonly Route<unknown>[]): Map<string, Set<string>> {
  const byMethod = Map.groupBy(routes, ({ method }) => method);
  return new Map([...byMethod].map(([method, routes]) => {
    // A path occurs once for each of its handlers.
    const paths = [...new Set(routes.map(({ path }) => path))]
      .map((path) => ({ path, places: segmentPrefixes(path) }));
    const open = new Set(paths.flatMap(({ places }) => places.parameters));
    const literal = paths.filter(({ places }) => places.words.some((place) => open.has(place)));
    return [method, new Set(literal.map(({ path }) => path))];
  }));
}

/** Returns the prefixes of a path's parameters and literal segments, with parameters as `:`. */
function segmentPrefixes(
  path: string,
): { readonly parameters: string[]; readonly words: string[] } {
  const places = { parameters: [] as string[], words: [] as string[] };
  let before = "";
  for (const segment of path.split("/")) {
    const isParameter = segment.startsWith(":");
    places[isParameter ? "parameters" : "words"].push(before);
    before += `/${isParameter ? ":" : segment}`;
  }
  return places;
}
