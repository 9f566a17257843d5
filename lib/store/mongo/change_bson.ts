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
 * A change as one update that MongoDB applies as the port says, or null where it would not: it
 * takes a number in a path for a place in an array, removes nothing silently behind a value that is
 * no object, and compares values of different types.
 */
export function changeBson(definition: Definition, change: Change): Bson | readonly Bson[] | null {
  return change.replace === undefined
    ? stepsBson(definition, change)
    : replacementBson(definition, change);
}

function stepsBson(definition: Definition, change: Change): Bson | null {
  const { set = {}, unset = [], increment = {}, ...others } = change;
  if (Object.keys(others).length > 0) return null;
  const reached = [...Object.keys(set), ...Object.keys(increment)];
  if (unset.some((path) => path.includes(".")) || reached.some(namesPlace)) return null;
  if (Object.values(increment).some((by) => exactTo(by) <= 0)) return null;
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

/** Asks for numbers to which the increments can be added without losing anything. */
export function exactlyIncreased({ increment = {} }: Change): readonly Bson[] {
  const far = Object.entries(increment).flatMap(([path, by]) => [
    conditionBson(path, { $gt: exactTo(by) }),
    conditionBson(path, { $lt: -exactTo(by) }),
  ]);
  return far.length === 0 ? [] : [{ $nor: far }];
}

/** How far from 0 a number may be so that adding this to it changes it, and rounds no integer. */
const exactTo = (by: number): number =>
  Number.isInteger(by) ? Number.MAX_SAFE_INTEGER - Math.abs(by) : Math.abs(by) * 2 ** 52;

/**
 * What a change of some fields makes of a record's words: nothing where it leaves its search fields
 * alone; null where they are also those of fields that only the server knows.
 */
function changedWords(
  definition: Definition,
  { set = {}, unset = [], increment = {} }: Change,
): ReturnType<typeof wordsBson> | null {
  const searched = searchPathsOf(definition);
  const written = [...Object.keys(set), ...unset];
  const reached = [...written, ...Object.keys(increment)];
  const isMet = searched.some((path) => reached.some((one) => leadsTo(one, path)));
  if (!isMet && !searched.some((path) => reached.some((one) => leadsTo(path, one)))) return {};
  if (!searched.every((path) => written.some((one) => leadsTo(one, path)))) return null;
  return wordsBson(definition, applyChange({ _id: "" }, { set }));
}

/** Whether who writes at a path writes what lies at another one. */
const leadsTo = (path: string, other: string): boolean =>
  path === other || other.startsWith(`${path}.`);

const PLACE = /\.\d/;
const namesPlace = (path: string): boolean => PLACE.test(path);

const encodeAt = (definition: Definition, path: string, value: Json): unknown =>
  encodeValue(value, shapeAt(definition.fields, path) ?? undefined);

/** A pipeline, because what is kept is known to the server only. */
function replacementBson(definition: Definition, change: Change): readonly Bson[] | null {
  const { replace = {}, keep = [], ...others } = change;
  if (Object.keys(others).length > 0) return null;
  const isKept = (path: string) => keep.some((name) => leadsTo(name, path));
  if (searchPathsOf(definition).some(isKept)) return null;
  const kept = Object.fromEntries(keep.map((name) => [name, stored(name)]));
  return [{
    $replaceWith: {
      $mergeObjects: [
        { _id: "$_id" },
        { $literal: encodeFields(definition, replace) },
        kept,
        versionOf(definition),
        { $literal: wordsBson(definition, replace) },
        { [REVISION]: { $add: [{ $ifNull: [stored(REVISION), 0] }, 1] } },
      ],
    },
  }];
}

const stored = (name: string): Bson => ({
  $getField: { field: { $literal: name }, input: "$$ROOT" },
});
