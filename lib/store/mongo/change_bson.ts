import type { Change, Definition, Json } from "../port.ts";
import { applyChange } from "../change.ts";
import { searchPathsOf } from "../search.ts";
import { shapeAt } from "../shape.ts";
import {
  type Bson,
  conditionBson,
  documentOf,
  encodeFields,
  encodeValue,
  versionOf,
  wordsBson,
} from "./encode.ts";
import { REVISION } from "./hidden_members.ts";

/**
 * Returns a change as a single update; null if MongoDB would not apply it as the port requires.
 * MongoDB reads a number in a path as an array index, silently ignores a removal through a value
 * that is not an object, and compares values of different types.
 */
export function changeBson(definition: Definition, change: Change): Bson | readonly Bson[] | null {
  return change.replace === undefined
    ? stepsBson(definition, change)
    : replacementBson(definition, change);
}

function stepsBson(definition: Definition, change: Change): Bson | null {
  const { set = {}, unset = [], increment = {}, ...others } = change;
  if (Object.keys(others).length > 0) return null;
  const writtenPaths = [...Object.keys(set), ...Object.keys(increment)];
  if (unset.some((path) => path.includes(".")) || writtenPaths.some(hasArrayIndex)) return null;
  if (Object.values(increment).some((by) => exactBound(by) <= 0)) return null;
  const words = changedWords(definition, change);
  if (words === null) return null;
  const encoded: (readonly [string, unknown])[] = [
    ...Object.entries(set).map(([path, value]) =>
      [path, encodeAt(definition, path, value)] as const
    ),
    ...Object.entries(versionOf(definition)),
    ...Object.entries(words),
  ];
  return {
    ...(encoded.length > 0 && { $set: documentOf(encoded) }),
    ...(unset.length > 0 && { $unset: documentOf(unset.map((path) => [path, ""])) }),
    $inc: { ...increment, [REVISION]: 1 },
  };
}

/** Returns conditions that the stored numbers can be incremented without losing precision. */
export function exactIncrementConditions({ increment = {} }: Change): readonly Bson[] {
  const far = Object.entries(increment).flatMap(([path, by]) => [
    conditionBson(path, { $gt: exactBound(by) }),
    conditionBson(path, { $lt: -exactBound(by) }),
  ]);
  return far.length === 0 ? [] : [{ $nor: far }];
}

/** Returns the maximum absolute value to which `by` is added without loss. */
const exactBound = (by: number): number =>
  Number.isInteger(by) ? Number.MAX_SAFE_INTEGER - Math.abs(by) : Math.abs(by) * 2 ** 52;

/** Returns a record's changed words, if any; null if they depend on unknown fields. */
function changedWords(
  definition: Definition,
  { set = {}, unset = [], increment = {} }: Change,
): ReturnType<typeof wordsBson> | null {
  const searched = searchPathsOf(definition);
  const written = [...Object.keys(set), ...unset];
  const changedPaths = [...written, ...Object.keys(increment)];
  const isAffected = searched.some((path) => changedPaths.some((one) => isSameOrBelow(one, path)));
  if (
    !isAffected && !searched.some((path) => changedPaths.some((one) => isSameOrBelow(path, one)))
  ) {
    return {};
  }
  if (!searched.every((path) => written.some((one) => isSameOrBelow(one, path)))) return null;
  return wordsBson(definition, applyChange({ _id: "" }, { set }));
}

/** Whether `other` is the path itself or lies below it. */
const isSameOrBelow = (path: string, other: string): boolean =>
  path === other || other.startsWith(`${path}.`);

const ARRAY_INDEX = /\.\d/;
const hasArrayIndex = (path: string): boolean => ARRAY_INDEX.test(path);

const encodeAt = (definition: Definition, path: string, value: Json): unknown =>
  encodeValue(value, shapeAt(definition.fields, path) ?? undefined);

/** Returns a replacement as a pipeline, because only the server knows the kept fields. */
function replacementBson(definition: Definition, change: Change): readonly Bson[] | null {
  const { replace = {}, keep = [], ...others } = change;
  if (Object.keys(others).length > 0) return null;
  const isKept = (path: string) => keep.some((name) => isSameOrBelow(name, path));
  if (searchPathsOf(definition).some(isKept)) return null;
  const kept = Object.fromEntries(keep.map((name) => [name, storedMember(name)]));
  return [{
    $replaceWith: {
      $mergeObjects: [
        { _id: "$_id" },
        { $literal: encodeFields(definition, replace) },
        kept,
        versionOf(definition),
        { $literal: wordsBson(definition, replace) },
        { [REVISION]: { $add: [{ $ifNull: [storedMember(REVISION), 0] }, 1] } },
      ],
    },
  }];
}

const storedMember = (name: string): Bson => ({
  $getField: { field: { $literal: name }, input: "$$ROOT" },
});
