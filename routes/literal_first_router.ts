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
  /** By method, what addresses of literal paths look like. */
  const patterns = new Map<string, RegExp[]>();
  const open = openPlaces(routes);
  for (const { method, path, handler } of routes) {
    const isLiteral = wordPlaces(path).some((place) => open.has(`${method} ${place}`));
    if (isLiteral) {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
      patterns.set(method, [...patterns.get(method) ?? [], pattern]);
    }
    // What is for every path runs before either.
    if (isLiteral || path.includes("*")) literal.add(method, path, handler);
    if (!isLiteral) others.add(method, path, handler);
  }
  return (method, path) => {
    const isLiteral = patterns.get(method)?.some((pattern) => pattern.test(path));
    return (isLiteral ? literal : others).match(method, path);
  };
}

/** Where paths have a parameter: by method and what is before it. */
const openPlaces = (routes: readonly Route<unknown>[]): ReadonlySet<string> =>
  new Set(
    routes.flatMap(({ method, path }) =>
      placesOf(path).filter(({ isParameter }) => isParameter).map(({ before }) =>
        `${method} ${before}`
      )
    ),
  );

/** Where a path has a word, which another may have a parameter for: what is before it. */
const wordPlaces = (path: string): string[] =>
  placesOf(path).filter(({ isParameter }) => !isParameter).map(({ before }) => before);

/** The segments of a path, each with those before it, in which all parameters are alike. */
function placesOf(path: string): { readonly before: string; readonly isParameter: boolean }[] {
  const segments = path.split("/").map((segment) => segment.startsWith(":") ? ":" : segment);
  return segments.map((segment, i) => ({
    before: segments.slice(0, i).join("/"),
    isParameter: segment === ":",
  }));
}
