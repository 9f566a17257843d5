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
  for (const { method, path, handler } of routes) {
    const isLiteral = routes.some((other) => other.method === method && covers(other.path, path));
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

/** Whether one path has a parameter where the other, which begins alike, has a word. */
function covers(general: string, special: string): boolean {
  const [wide, narrow] = [general.split("/"), special.split("/")];
  const isParameter = (segment: string | undefined) => segment?.startsWith(":") ?? false;
  const at = wide.findIndex((segment, i) =>
    segment !== narrow[i] && !(isParameter(segment) && isParameter(narrow[i]))
  );
  return at !== -1 && isParameter(wide[at]) && narrow[at] !== undefined;
}
