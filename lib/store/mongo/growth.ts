import { BSON, type Document } from "mongodb";
import { jsonText } from "../json_text.ts";
import type { Change, Definition } from "../port.ts";
import { applyChange } from "../change.ts";
import { searchPathsOf } from "../search.ts";
import { type Bson, encodeFields, wordsBson } from "./encode.ts";

/** Bytes of a document as BSON. */
export const sizeOf = (document: Document): number => BSON.calculateObjectSize(document);

/** Of the members that Corbel adds to what it stores, and of a definition's version. */
const FRAME_BYTES = 100;
/** Of an object that is made on the way of a dotted path. */
const OBJECT_BYTES = 7;

/** By how many bytes of BSON a change makes a record grow at most. */
export function growthMax(definition: Definition, change: Change): number {
  const { replace, set, increment, min, max, push, addToSet } = change;
  const members = { ...replace, ...set, ...increment, ...min, ...max, ...push, ...addToSet };
  const objects = Object.keys(members).reduce((sum, path) => sum + path.split(".").length, 0);
  return sizeOf(encodeFields(definition, members)) + objects * OBJECT_BYTES +
    wordsGrowthMax(definition, change) + FRAME_BYTES;
}

/** Words of fields that are not written are there already. */
function wordsGrowthMax(definition: Definition, { replace, set }: Change): number {
  if (searchPathsOf(definition).length === 0) return 0;
  const written = applyChange({ _id: "" }, { ...(replace && { replace }), ...(set && { set }) });
  return sizeOf(wordsBson(definition, written));
}

/** Bytes that a stored record may have so that the change cannot make it larger than is allowed. */
export function roomFor(
  { replace, set, increment }: Change,
  { bytesMax = Infinity, membersMax = Infinity }: Definition,
): number {
  if (bytesMax === Infinity && membersMax === Infinity) return Infinity;
  const added = jsonText({ ...replace, ...set, ...increment }).length;
  const bytes = (bytesMax - added * 3) / GROWTH_MAX; // At most, in UTF-8.
  const members = membersMax * MEMBER_BYTES_MIN - added;
  return Math.floor(Math.min(bytes, members));
}

/** Of null, with a name of one letter. */
const MEMBER_BYTES_MIN = 3;

/** A record's JSON text takes at most this many times the bytes of its BSON: `\u0001` for one. */
const GROWTH_MAX = 6;

/** Asks for documents of up to so many bytes, where that is a bound. */
export const smallerThan = (bytes: number): readonly Bson[] =>
  bytes === Infinity ? [] : [{ $expr: { $lte: [{ $bsonSize: "$$ROOT" }, bytes] } }];
