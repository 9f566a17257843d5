import { INDEXED_ELEMENTS_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import type { Definition, Json } from "./port.ts";
import { arrayKeyOf, valueAt } from "./shape.ts";

const known = new WeakMap<Definition, readonly string[]>();

/** Paths of the arrays that a definition has an index of. */
export function indexedArrays(definition: Definition): readonly string[] {
  let paths = known.get(definition);
  if (paths === undefined) {
    const arrays = definition.indexes.map((index) => arrayKeyOf(definition, index));
    paths = [...new Set(arrays.filter((path) => path !== null))];
    known.set(definition, paths);
  }
  return paths;
}

/** Those of these arrays that hold more than an index takes, of a document or of the members set. */
export function crowded(
  arrays: readonly string[],
  members: { readonly [name: string]: Json },
): FieldFault[] {
  return arrays.filter((path) => isCrowded(members, path))
    .map((path) => ({
      path,
      message: `has an index, so it may hold up to ${INDEXED_ELEMENTS_MAX} elements`,
    }));
}

/** Members of a change may be named by dotted paths. */
function isCrowded(members: { readonly [name: string]: Json }, path: string): boolean {
  if (Object.hasOwn(members, path)) return exceeds(members[path]);
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const outer = path.slice(0, dot);
    if (!Object.hasOwn(members, outer)) continue;
    return exceeds(valueAt({ _id: "", value: members[outer]! }, `value${path.slice(dot)}`));
  }
  return false;
}

const exceeds = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > INDEXED_ELEMENTS_MAX;
