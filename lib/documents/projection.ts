import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import type { Members } from "./document.ts";
import { isEmbedded } from "./embedded.ts";

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
    else if (isEmbedded(value)) shown[name] = value; // Holds nothing else than what is named.
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

/** Which part is shown of what stands at one path of a document. */
export type Part = Projection | "all" | "nothing";

/**
 * Which part of the documents a projection shows that are put in the place of ids at a path, alone
 * or, in a list, of each of them: names do not reach into lists.
 */
export function partBehind(
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

/** That part of a document; its id is a member like others. */
export function partOf(members: Members, part: Part): Members {
  if (part === "all") return members;
  if (part === "nothing") return {};
  return part.leavesOut ? without(members, part.names) : only(members, part.names);
}
