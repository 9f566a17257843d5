import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";

interface Route<T> {
  readonly method: string;
  readonly path: string;
  readonly handler: T;
}

/**
 * hono's router of one expression for all paths of a method takes no word where another path has a
 * parameter, such as `/data/:name/aggregate` beside `/data/:name/:id`. Paths with such a word are in
 * an expression of their own, which is asked first.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #routes: Route<T>[] = [];
  #match: Router<T>["match"] | null = null;

  add(method: string, path: string, handler: T): void {
    this.#routes.push({ method, path, handler });
    this.#match = null;
  }

  match(method: string, path: string): Result<T> {
    return (this.#match ??= matcherOf(this.#routes))(method, path);
  }
}

function matcherOf<T>(routes: readonly Route<T>[]): Router<T>["match"] {
  const [literal, others] = [new TrieRouter<T>(), new RegExpRouter<T>()];
  const literals = literalPathsOf(routes);
  for (const { method, path, handler } of routes) {
    const isLiteral = literals.get(method)?.has(path) ?? false;
    // What is for every path runs before either.
    if (isLiteral || path.includes("*")) literal.add(method, path, handler);
    if (!isLiteral) others.add(method, path, handler);
  }
  /** By method, what addresses of literal paths look like. */
  const patterns = new Map(
    [...literals].map(([method, paths]) => [method, [...paths].map(patternOf)]),
  );
  return (method, path) => {
    const isLiteral = patterns.get(method)?.some((pattern) => pattern.test(path));
    return (isLiteral ? literal : others).match(method, path);
  };
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);

/** By method, the paths with a word where another has a parameter. */
function literalPathsOf(routes: readonly Route<unknown>[]): Map<string, Set<string>> {
  const byMethod = Map.groupBy(routes, ({ method }) => method);
  return new Map([...byMethod].map(([method, routes]) => {
    // Each path has several handlers.
    const paths = [...new Set(routes.map(({ path }) => path))]
      .map((path) => ({ path, places: placesOf(path) }));
    const open = new Set(paths.flatMap(({ places }) => places.parameters));
    const literal = paths.filter(({ places }) => places.words.some((place) => open.has(place)));
    return [method, new Set(literal.map(({ path }) => path))];
  }));
}

/** Where a path has parameters and where words: what is before each, with all parameters alike. */
function placesOf(path: string): { readonly parameters: string[]; readonly words: string[] } {
  const places = { parameters: [] as string[], words: [] as string[] };
  let before = "";
  for (const segment of path.split("/")) {
    const isParameter = segment.startsWith(":");
    places[isParameter ? "parameters" : "words"].push(before);
    before += `/${isParameter ? ":" : segment}`;
  }
  return places;
}
