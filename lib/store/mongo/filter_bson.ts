import { ObjectId } from "mongodb";
import { conjuncts, equalityPath } from "../advice.ts";
import type { Comparison, Definition, Filter, Scalar } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { isOfType, scalarAt } from "../shape.ts";
import { type Bson, conditionBson, encodeText } from "./encode.ts";
import { pcre } from "./pcre.ts";
import { searchPathsOf } from "../search.ts";
import { REVISION, WORDS } from "./hidden_members.ts";

export const EVERYTHING: Bson = {};
const NOTHING: Bson = { _id: { $in: [] } };

/** Joins conditions by `and`. The id stays at the top level, where its lookup is fast. */
export function all(of: readonly Bson[]): Bson {
  if (of.length < 2) return of[0] ?? EVERYTHING;
  const members = of.flatMap((one) => Object.entries(one));
  const names = new Set(members.map(([name]) => name));
  const isFlat = names.has("_id") && names.size === members.length;
  return isFlat ? Object.fromEntries(members) : { $and: of };
}

const any = (of: readonly Bson[]): Bson =>
  of.length === 0 ? NOTHING : of.length === 1 ? of[0]! : { $or: of };

const negate = (of: Bson): Bson => ({ $nor: [of] });

/** The index of a list or a count, if it is certain. */
type Hint = { readonly hint: { readonly _id: 1 } } | undefined;

const BY_ID = { hint: { _id: 1 } } as const;

export const hintFor = (filter: Filter): Hint =>
  conjuncts(filter).some((one) => equalityPath(one) === "_id") ? BY_ID : undefined;

/** Whether a filter selects all, all live or all deleted records. */
export const isAboutTrash = (filter: Filter): boolean =>
  conjuncts(filter).every((one) => equalityPath(one) === "isDeleted");

export function filterBson(definition: Definition, filter: Filter): Bson {
  switch (filter.op) {
    case "and":
      return all(filter.of.map((one) => filterBson(definition, one)));
    case "or":
      return any(filter.of.map((one) => filterBson(definition, one)));
    case "not":
      return negate(filterBson(definition, filter.of));
    case "search":
      return searchPathsOf(definition).length === 0 || filter.words.length === 0
        ? NOTHING
        : all(filter.words.map((word) => ({ [WORDS]: { $regex: `^${escapePattern(word)}` } })));
    case "revision":
      return { [REVISION]: filter.value };
    case "exists": {
      if (filter.path === "_id") return filter.value ? EVERYTHING : NOTHING;
      const there = behindObjects(definition, filter.path, { $exists: true });
      return filter.value ? there : negate(there);
    }
    case "ne":
      return negate(filterBson(definition, { ...filter, op: "eq" }));
    case "nin":
      return negate(filterBson(definition, { ...filter, op: "in" }));
    default:
      return leafBson(definition, filter as PositiveCondition); // Without "ne" and "nin".
  }
}

/** Escapes pattern characters. Other ASCII characters of words are letters and digits. */
const escapePattern = (word: string): string => word.replaceAll(/[!-\/:-@[-^`{-~]/g, "\\$&");

type PositiveCondition =
  | { op: Exclude<Comparison, "ne">; path: string; value: Scalar }
  | { op: "in"; path: string; values: readonly Scalar[] }
  | { op: "regex"; path: string; pattern: string };

function leafBson(definition: Definition, leaf: PositiveCondition): Bson {
  if (leaf.path === "_id") return idBson(leaf);
  const type = scalarAt(definition, leaf.path);
  if (leaf.op === "regex") {
    if (type !== null && FIELD_TYPES[type].bson !== "string") return NOTHING;
    return behindObjects(definition, leaf.path, { $regex: pcre(leaf.pattern), $options: "i" });
  }
  if (leaf.op === "eq") return memberBson(definition, leaf.path, [leaf.value]);
  if (leaf.op === "in") return memberBson(definition, leaf.path, leaf.values);
  if (leaf.value === null || !isComparable(type, leaf.value)) return NOTHING;
  const bound = { [`$${leaf.op}`]: operandBson(type, leaf.value) };
  return behindObjects(definition, leaf.path, bound);
}

function memberBson(definition: Definition, path: string, values: readonly Scalar[]): Bson {
  const type = scalarAt(definition, path);
  const present = values.filter((value) => value !== null && isComparable(type, value))
    .map((value) => operandBson(type, value));
  if (values.includes(null)) {
    // Values inside an array's elements count as missing, and so equal null.
    return mayCrossNonObject(definition, path)
      ? negate(behindObjects(definition, path, { $nin: [...present, null] }))
      : conditionBson(path, present.length === 0 ? { $eq: null } : { $in: [...present, null] });
  }
  if (present.length === 0) return NOTHING;
  const found = present.length === 1 ? { $eq: present[0] } : { $in: present };
  const unique = type !== null && hasUnique(definition, path);
  // Repeats the condition of the partial index; otherwise the planner would not use it.
  return behindObjects(
    definition,
    path,
    unique ? { ...found, $type: FIELD_TYPES[type].bson } : found,
  );
}

/** Whether a path may lead through a value that is not an object. */
const mayCrossNonObject = (definition: Definition, path: string): boolean =>
  path.includes(".") && scalarAt(definition, path) === null;

/** Returns a condition that matches through objects only, unlike MongoDB's own paths. */
function behindObjects(definition: Definition, path: string, condition: Bson): Bson {
  const found = conditionBson(path, condition);
  if (!mayCrossNonObject(definition, path)) return found;
  const names = path.split(".");
  const onTheWay = names.slice(1).map((_, i) => names.slice(0, i + 1).join("."));
  return all([
    ...onTheWay.map((outer) => conditionBson(outer, { $not: { $type: "array" } })),
    found,
  ]);
}

const hasUnique = ({ indexes }: Definition, path: string): boolean =>
  indexes.some(({ unique, keys }) => unique && keys.some((key) => key.path === path));

/** Whether an operand has the declared type. Operands of other types match nothing. */
function isComparable(type: ScalarType | null, operand: Scalar): boolean {
  if (type === null) return true;
  return isOfType(type, operand) &&
    (FIELD_TYPES[type].bson !== "date" || !Number.isNaN(Date.parse(operand as string)));
}

/** Encodes an operand as values of the type are stored. */
export const operandBson = (type: ScalarType | null, value: Scalar): unknown =>
  typeof value === "string" ? encodeText(value, type) : value;

const ID = /^[0-9a-f]{24}$/;

/** The id as text. Ids of other types, from other programs, never match and never fail. */
const ID_TEXT = { $convert: { input: "$_id", to: "string", onError: null } };
const IS_ID: Bson = { _id: { $type: "objectId" } };

/** Returns a condition on the id. Comparisons with text that is not an id use no index. */
function idBson(leaf: PositiveCondition): Bson {
  if (leaf.op === "regex") {
    const regex = pcre(leaf.pattern);
    return { ...IS_ID, $expr: { $regexMatch: { input: ID_TEXT, regex, options: "i" } } };
  }
  if (leaf.op === "eq" || leaf.op === "in") {
    const values = leaf.op === "in" ? leaf.values : [leaf.value];
    const ids = values.filter((value) => typeof value === "string" && ID.test(value));
    if (ids.length === 0) return NOTHING;
    const found = ids.map((id) => new ObjectId(id as string));
    return { _id: found.length === 1 ? found[0] : { $in: found } };
  }
  const { op, value } = leaf;
  if (typeof value !== "string") return NOTHING;
  return ID.test(value)
    ? { _id: { [`$${op}`]: new ObjectId(value) } }
    : { ...IS_ID, $expr: { [`$${op}`]: [ID_TEXT, { $literal: value }] } };
}
