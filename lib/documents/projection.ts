import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import type { Members } from "./document.ts";

/** Which members of documents to answer. `_id` always stays. */
export interface Projection {
  readonly names: NameTree;
  /** Whether the names are what is left out. */
  readonly leavesOut: boolean;
}

/** Dotted paths by their first names; null is the end of one, whatever else lies behind it. */
type NameTree = ReadonlyMap<string, NameTree | null>;
type GrowingTree = Map<string, GrowingTree | null>;

export function projectionOf(paths: readonly string[], leavesOut: boolean): Projection {
  const names: GrowingTree = new Map();
  for (const path of paths) addPath(names, path.split("."));
  if (leavesOut) names.delete("_id");
  return { names, leavesOut };
}

function addPath(tree: GrowingTree, names: readonly string[]): void {
  let at = tree;
  for (const name of names.slice(0, -1)) {
    const next = at.get(name);
    if (next === null) return;
    if (next !== undefined) at = next;
    else at.set(name, at = new Map());
  }
  at.set(names.at(-1)!, null);
}

/** A document as it is to be shown. Takes time in proportion to the names and the document. */
export function projected(document: Members, { names, leavesOut }: Projection): Members {
  return leavesOut ? without(document, names) : { _id: document._id!, ...only(document, names) };
}

function only(members: Members, names: NameTree): Members {
  const shown: Members = {};
  for (const [name, inner] of names) {
    if (!Object.hasOwn(members, name)) continue;
    const value: Json = members[name]!;
    if (inner === null) shown[name] = value;
    else if (isObject(value)) shown[name] = only(value, inner);
  }
  return shown;
}

function without(members: Members, names: NameTree): Members {
  const kept = Object.entries(members).flatMap(([name, value]): [string, Json][] => {
    const inner = names.get(name);
    if (inner === null) return [];
    return [[name, inner !== undefined && isObject(value) ? without(value, inner) : value]];
  });
  return Object.fromEntries(kept);
}
