import { inSlices } from "@/lib/next_turn.ts";
import type { Operation } from "./general.ts";

type Kind = "schemas" | "parameters" | "headers" | "responses" | "examples" | "securitySchemes";

export type ComponentSources = Readonly<Record<Kind, Readonly<Record<string, object>>>>;

export class Assembly {
  readonly #paths: Record<string, Record<string, Operation>> = {};
  readonly #tags = new Set<string>();

  /** Adds an operation. Throws if its path and method are taken. */
  add(path: string, method: string, operation: Operation): void {
    const item = this.#paths[path] ??= {};
    if (item[method] !== undefined) throw new Error(`Duplicate operation: ${method} ${path}`);
    item[method] = operation;
    for (const tag of operation.tags) this.#tags.add(tag);
  }

  hasTag(name: string): boolean {
    return this.#tags.has(name);
  }

  /** Resolves to the paths and the components that they need. Throws if a component is missing. */
  async finish(sources: ComponentSources) {
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
    await inSlices(drain(unread), (value) => {
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

/** Yields and removes the values of a list until it is empty. Values may be added while it runs. */
function* drain(list: unknown[]): Generator<unknown> {
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

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "$ref" && typeof inner === "string") yield inner;
    else yield* referencesIn(inner);
  }
}
