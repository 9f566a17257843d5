import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";

/**
 * hono's router of one expression for all paths of a method takes no two that fit the same address,
 * such as `/data/:name/aggregate` beside `/data/:name/:id`: it throws where they are added. Those
 * named here as literal are in an expression of their own, which is asked first.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #literalPaths: readonly string[];
  readonly #literal = new RegExpRouter<T>();
  readonly #others = new RegExpRouter<T>();
  /** By method, what addresses of literal paths look like. */
  readonly #patterns = new Map<string, RegExp[]>();

  /** @param literalPaths As they are added. */
  constructor(literalPaths: readonly string[]) {
    this.#literalPaths = literalPaths;
  }

  add(method: string, path: string, handler: T): void {
    const isLiteral = this.#literalPaths.includes(path);
    if (isLiteral) {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
      this.#patterns.set(method, [...this.#patterns.get(method) ?? [], pattern]);
    }
    // What is for every path runs before either.
    if (isLiteral || path.includes("*")) this.#literal.add(method, path, handler);
    if (!isLiteral) this.#others.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    const isLiteral = this.#patterns.get(method)?.some((pattern) => pattern.test(path));
    return (isLiteral ? this.#literal : this.#others).match(method, path);
  }
}
