import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";

interface Route<T> {
  readonly method: string;
  readonly path: string;
  readonly handler: T;
}

/**
 * hono's router of one expression for all paths of a method takes no two that fit the same address,
 * such as `/data/:name/aggregate` beside `/data/:name/:id`. Those that have a word where others have
 * a parameter are in an expression of their own, which is asked first.
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
  const [literal, others] = [new RegExpRouter<T>(), new RegExpRouter<T>()];
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

/** Whether one path fits all addresses of another, and more. */
function covers(general: string, special: string): boolean {
  const [wide, narrow] = [general.split("/"), special.split("/")];
  return general !== special && wide.length === narrow.length &&
    wide.every((segment, i) => segment.startsWith(":") || segment === narrow[i]) &&
    narrow.some((segment, i) => !segment.startsWith(":") && wide[i]!.startsWith(":"));
}
