import { BSON, type Document } from "mongodb";
import { jsonText } from "../json_text.ts";
import type { Change, Definition } from "../port.ts";
import { applyChange } from "../change.ts";
import { searchPathsOf } from "../search.ts";
import { type Bson, encodeFields, wordsBson } from "./encode.ts";

/** Returns the BSON size of a document in bytes. */
export const sizeOf = (document: Document): number => BSON.calculateObjectSize(document);

/** Maximum size in bytes of hidden members, except words. */
const HIDDEN_MEMBERS_BYTES = 100;
/** Size in bytes of an object that is created along a dotted path. */
const OBJECT_BYTES = 7;

/** Returns the maximum number of BSON bytes by which a change enlarges a record. */
export function growthMax(definition: Definition, change: Change): number {
  const { replace, set, increment, min, max, push, addToSet } = change;
  const members = { ...replace, ...set, ...increment, ...min, ...max, ...push, ...addToSet };
  const objects = Object.keys(members).reduce((sum, path) => sum + path.split(".").length, 0);
  return sizeOf(encodeFields(definition, members)) + objects * OBJECT_BYTES +
    wordsGrowthMax(definition, change) + HIDDEN_MEMBERS_BYTES;
}

/** Returns the maximum size of added words in bytes. Words of other fields are stored already. */
function wordsGrowthMax(definition: Definition, { replace, set }: Change): number {
  if (searchPathsOf(definition).length === 0) return 0;
  const written = applyChange({ _id: "" }, { ...(replace && { replace }), ...(set && { set }) });
  return sizeOf(wordsBson(definition, written));
}

/** Returns the maximum BSON size of a record for which a change stays within the limits. */
export function sizeMaxBefore(
  { replace, set, increment }: Change,
  { bytesMax = Infinity, membersMax = Infinity }: Definition,
): number {
  if (bytesMax === Infinity && membersMax === Infinity) return Infinity;
  const added = jsonText({ ...replace, ...set, ...increment }).length;
  const bytes = (bytesMax - added * 3) / JSON_PER_BSON_MAX; // UTF-8: up to 3 bytes each.
  const members = membersMax * MEMBER_BYTES_MIN - added;
  return Math.floor(Math.min(bytes, members));
}

/** Minimum size in bytes of a member: null with a name of one letter. */
const MEMBER_BYTES_MIN = 3;

/** Maximum ratio of JSON bytes to BSON bytes, for texts such as `\u0001`. */
const JSON_PER_BSON_MAX = 6;

/** Returns the condition that a document has at most `bytes` bytes, unless there is no limit. */
export const sizeConditions = (bytes: number): readonly Bson[] =>
  bytes === Infinity ? [] : [{ $expr: { $lte: [{ $bsonSize: "$$ROOT" }, bytes] } }];
