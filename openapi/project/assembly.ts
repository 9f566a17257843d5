import { inSlices } from "@/lib/next_turn.ts";
import type { Operation } from "./general.ts";

type Kind = "schemas" | "parameters" | "headers" | "responses" | "examples" | "securitySchemes";

/** Everything that may be referred to. */
export type Sources = Readonly<Record<Kind, Readonly<Record<string, object>>>>;

/** A document in the making, which holds what its operations refer to and nothing else. */
export class Assembly {
  readonly #paths: Record<string, Record<string, Operation>> = {};
  readonly #tags = new Set<string>();

  /** Throws where another operation has the place. */
  add(path: string, method: string, operation: Operation): void {
    const item = this.#paths[path] ??= {};
    if (item[method] !== undefined) throw new Error(`${method} ${path} is there twice`);
    item[method] = operation;
    for (const tag of operation.tags) this.#tags.add(tag);
  }

  hasTag(name: string): boolean {
    return this.#tags.has(name);
  }

  /**
   * Resolves to the operations, and the components that they need. Throws for a reference that leads
   * nowhere.
   */
  async finish(sources: Sources) {
    const needed = new Map<Kind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
    const unread: unknown[] = Object.values(this.#paths);
    const need = (kind: Kind, name: string): void => {
      const names = needed.get(kind)!;
      if (names.has(name)) return;
      const component = sources[kind][name];
      if (component === undefined) throw new Error(`There is no component ${kind}/${name}`);
      names.add(name);
      unread.push(component);
    };
    for (const item of Object.values(this.#paths)) {
      for (const { security = [] } of Object.values(item)) {
        for (const name of security.flatMap((one) => Object.keys(one))) {
          need("securitySchemes", name);
        }
      }
    }
    await inSlices(taken(unread), (value) => {
      for (const reference of referencesIn(value)) {
        const [, , kind, name] = reference.split("/");
        need(kind as Kind, name!);
      }
    });
    const components = KINDS.map((kind) => {
      const names = needed.get(kind)!;
      const kept = Object.entries(sources[kind]).filter(([name]) => names.has(name));
      return [kind, Object.fromEntries(kept)] as const;
    });
    return {
      paths: this.#paths,
      components: Object.fromEntries(components.filter(([, one]) => Object.keys(one).length > 0)),
    };
  }
}

/** Takes values from a list to which others may be added in the course of it. */
function* taken(list: unknown[]): Generator<unknown> {
  while (list.length > 0) yield list.pop();
}

const KINDS: readonly Kind[] = [
  "securitySchemes",
  "schemas",
  "parameters",
  "headers",
  "examples",
  "responses",
];

/** Where every `$ref` within leads to. */
function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "$ref" && typeof inner === "string") yield inner;
    else yield* referencesIn(inner);
  }
}
