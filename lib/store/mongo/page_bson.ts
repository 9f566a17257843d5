import { MinKey, ObjectId } from "mongodb";
import { selectsTrashSide, withIdKey } from "../advice.ts";
import type { Definition, Filter, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { scalarAt } from "../shape.ts";
import type { Bson } from "./encode.ts";
import { filterBson, operandBson } from "./filter_bson.ts";
import { exactValues } from "./exact_positions.ts";

/**
 * Returns the filter and the sort of a page. After a position, the rest of a list is a chain of
 * ranges: documents that are equal in all keys and have a later id, then those that are equal in
 * all keys but the last, and so on. Each branch of the `$or` is complete, so that an index over the
 * sort can serve each of them and the results are merged.
 */
export function pageBson(
  definition: Definition,
  { filter: asked, sort, from, backwards = false }: ListQuery,
): { readonly filter: Bson; readonly sort: Readonly<Record<string, 1 | -1>> } {
  const order = withIdKey(sort)
    .map(({ path, descending }) => ({ path, descending: descending !== backwards }));
  const filter = withTrashSides(definition, asked);
  const branches = from === undefined
    ? [filter]
    : rangesAfter(definition, order, from).map((range) => ({ $and: [filter, ...range] }));
  return {
    filter: branches.length === 1 ? branches[0]! : { $or: branches },
    sort: Object.fromEntries(order.map(({ path, descending }) => [path, descending ? -1 : 1])),
  };
}

/** Returns the filter with both values of `isDeleted`, which indexes begin with. */
function withTrashSides(definition: Definition, filter: Filter): Bson {
  const asked = filterBson(definition, filter);
  if (!definition.trash || selectsTrashSide(filter)) return asked;
  return { $and: [{ isDeleted: { $in: [false, true] } }, asked] };
}

function rangesAfter(
  definition: Definition,
  order: readonly SortKey[],
  from: Position,
): Bson[][] {
  const { values, id, inclusive = false } = from;
  const exact = exactValues(from);
  const keys = order.map(({ path }, i): KeyPosition => {
    const value = path === "_id" ? id : values[i]!;
    return exact.has(i) ? foreignKey(path, exact.get(i)!) : storedKey(definition, path, value);
  });
  return order.map(({ descending }, i) => {
    const equal = keys.slice(0, i).map(({ equal }) => equal);
    const last = i === order.length - 1;
    return [...equal, ...keys[i]!.after(descending, last && inclusive)];
  }).reverse();
}

interface KeyPosition {
  readonly equal: Bson;
  /** Returns conditions for values of any type after the key, all of which must hold. */
  after(descending: boolean, inclusive: boolean): Bson[];
}

/** BSON types in sort order. Null sorts after the first two. */
const LOWEST = ["minKey", "undefined"];
const TYPES = [
  ...["number", "string", "symbol", "object", "array", "binData", "objectId", "bool", "date"],
  ...["timestamp", "regex", "dbPointer", "javascript", "javascriptWithScope", "maxKey"],
];

/**
 * Returns the conditions on a value that Corbel has stored. MongoDB compares only values of one
 * type, but a list continues with values of other types. The values after the key are therefore
 * expressed by excluding those before it, which an index serves as well.
 */
function storedKey(definition: Definition, path: string, value: Scalar): KeyPosition {
  const operand = path === "_id"
    ? new ObjectId(value as string)
    : operandBson(scalarAt(definition, path), value);
  const not = (condition: Bson): Bson => ({ [path]: { $not: condition } });
  const at = TYPES.indexOf(typeOf(operand));
  return {
    equal: { [path]: { $eq: operand } },
    after(descending, inclusive) {
      const equal = inclusive ? "" : "e";
      if (operand === null) {
        return descending
          ? [{ [path]: { $type: "minKey" } }]
          : [{ [path]: { $ne: null } }, not({ $type: "minKey" })];
      }
      if (descending) {
        return [not({ [`$gt${equal}`]: operand }), not({ $type: TYPES.slice(at + 1) })];
      }
      return [
        not({ [`$lt${equal}`]: operand }),
        { [path]: { $nin: [null, NaN] } }, // Only equality matches NaN.
        not({ $type: [...LOWEST, ...TYPES.slice(0, at)] }),
      ];
    },
  };
}

function typeOf(operand: unknown): string {
  if (operand instanceof ObjectId) return "objectId";
  if (operand instanceof Date) return "date";
  return typeof operand === "boolean" ? "bool" : typeof operand;
}

/** Returns the conditions on a value of another program, which may be of any type. */
const foreignKey = (path: string, value: Bson): KeyPosition => ({
  equal: { $expr: { $eq: [`$${path}`, value] } },
  after(descending, inclusive) {
    const operator = `$${descending ? "lt" : "gt"}${inclusive ? "e" : ""}`;
    const after = { $expr: { [operator]: [`$${path}`, value] } };
    // In expressions, a missing value sorts below null and possibly below all others.
    const isLowest = value.$literal instanceof MinKey && !descending;
    return [isLowest ? { $or: [after, { [path]: { $eq: null } }] } : after];
  },
});
