import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import type { Members } from "./document.ts";
import { isEmbedded } from "./embedded.ts";

/** Members of documents to return. `_id` is always returned. */
export interface Projection {
  readonly names: NameTree;
  /** Whether the named members are left out, rather than picked. */
  readonly leavesOut: boolean;
}

/** Tree of dotted paths by name; null is the end of a path, and covers all longer paths. */
type NameTree = ReadonlyMap<string, NameTree | null>;
type GrowingTree = Map<string, GrowingTree | null>;

export function createProjection(paths: readonly string[], leavesOut: boolean): Projection {
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

/** Takes time in proportion to the names and the document. */
export function project(document: Members, { names, leavesOut }: Projection): Members {
  return leavesOut ? omit(document, names) : { _id: document._id!, ...pick(document, names) };
}

function pick(members: Members, names: NameTree): Members {
  const picked: Members = {};
  for (const [name, inner] of names) {
    if (!Object.hasOwn(members, name)) continue;
    const value: Json = members[name]!;
    if (inner === null) picked[name] = value;
    else if (isObject(value)) picked[name] = pick(value, inner);
    else if (isEmbedded(value)) picked[name] = value; // Already projected by `takePart`.
  }
  return picked;
}

function omit(members: Members, names: NameTree): Members {
  const kept = Object.entries(members).flatMap(([name, value]): [string, Json][] => {
    const inner = names.get(name);
    if (inner === null) return [];
    return [[name, inner !== undefined && isObject(value) ? omit(value, inner) : value]];
  });
  return Object.fromEntries(kept);
}

export type Part = Projection | "all" | "nothing";

/** Returns the part of populated documents to return. Names do not reach into lists. */
export function partOfTargets(
  projection: Projection | null,
  path: readonly string[],
  isList: boolean,
): Part {
  if (projection === null) return "all";
  const { leavesOut } = projection;
  let at: NameTree | null | undefined = projection.names;
  for (const name of path) {
    at = at.get(name);
    if (at === null) return leavesOut ? "nothing" : "all";
    if (at === undefined) return leavesOut ? "all" : "nothing";
  }
  if (isList) return leavesOut ? "all" : "nothing";
  return { names: at, leavesOut };
}

/** Treats the id like other members. */
export function takePart(members: Members, part: Part): Members {
  if (part === "all") return members;
  if (part === "nothing") return {};
  return part.leavesOut ? omit(members, part.names) : pick(members, part.names);
}
