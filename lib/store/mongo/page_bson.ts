import { MinKey, ObjectId } from "mongodb";
import { fixesTrash, sortedBy } from "../advice.ts";
import type { Definition, Filter, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { scalarAt } from "../shape.ts";
import type { Bson } from "./encode.ts";
import { filterBson, operandBson } from "./filter_bson.ts";
import { exactValues } from "./foreign.ts";

/**
 * The filter and the order of a page. Behind a position the rest of a list is a chain of ranges: the
 * rows equal to it in all keys with a later id, those equal in all keys but the last, and so on.
 * Each arm of the `$or` is whole by itself, so that an index over the sort serves each, and they are
 * merged.
 */
export function pageBson(
  definition: Definition,
  { filter: asked, sort, from, backwards = false }: ListQuery,
): { readonly filter: Bson; readonly sort: Readonly<Record<string, 1 | -1>> } {
  const order = sortedBy(sort)
    .map(({ path, descending }) => ({ path, descending: descending !== backwards }));
  const filter = bothSides(definition, asked);
  const arms = from === undefined
    ? [filter]
    : rangesBehind(definition, order, from).map((range) => ({ $and: [filter, ...range] }));
  return {
    filter: arms.length === 1 ? arms[0]! : { $or: arms },
    sort: Object.fromEntries(order.map(({ path, descending }) => [path, descending ? -1 : 1])),
  };
}

/** Indexes begin with `isDeleted`: with both its values named, each comes in order and is merged. */
function bothSides(definition: Definition, filter: Filter): Bson {
  const asked = filterBson(definition, filter);
  if (!definition.trash || fixesTrash(filter)) return asked;
  return { $and: [{ isDeleted: { $in: [false, true] } }, asked] };
}

function rangesBehind(
  definition: Definition,
  order: readonly SortKey[],
  from: Position,
): Bson[][] {
  const { values, id, inclusive = false } = from;
  const exact = exactValues(from);
  const places = order.map(({ path }, i): KeyPlace => {
    const value = path === "_id" ? id : values[i]!;
    return exact.has(i) ? foreign(path, exact.get(i)!) : own(definition, path, value);
  });
  return order.map(({ descending }, i) => {
    const equal = places.slice(0, i).map(({ equal }) => equal);
    const last = i === order.length - 1;
    return [...equal, ...places[i]!.beyond(descending, last && inclusive)];
  }).reverse();
}

/** One key of a position. */
interface KeyPlace {
  readonly equal: Bson;
  /** What lies beyond it, whatever its type; conditions that all must hold. */
  beyond(descending: boolean, inclusive: boolean): Bson[];
}

/** BSON's types in the order in which values are sorted; null lies behind the first two. */
const LOWEST = ["minKey", "undefined"];
const TYPES = [
  ...["number", "string", "symbol", "object", "array", "binData", "objectId", "bool", "date"],
  ...["timestamp", "regex", "dbPointer", "javascript", "javascriptWithScope", "maxKey"],
];

/**
 * As Corbel stores it. MongoDB compares values of one type only, while a list goes on with those of
 * other types: so what lies beyond is told by what does not, which an index serves as well.
 */
function own(definition: Definition, path: string, value: Scalar): KeyPlace {
  const operand = path === "_id"
    ? new ObjectId(value as string)
    : operandBson(scalarAt(definition, path), value);
  const not = (condition: Bson): Bson => ({ [path]: { $not: condition } });
  const at = TYPES.indexOf(typeOf(operand));
  return {
    equal: { [path]: { $eq: operand } },
    beyond(descending, inclusive) {
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
        { [path]: { $nin: [null, NaN] } }, // No operator but equality is about NaN.
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

/** As another program stored it: expressions compare values of all types. */
const foreign = (path: string, value: Bson): KeyPlace => ({
  equal: { $expr: { $eq: [`$${path}`, value] } },
  beyond(descending, inclusive) {
    const operator = `$${descending ? "lt" : "gt"}${inclusive ? "e" : ""}`;
    const beyond = { $expr: { [operator]: [`$${path}`, value] } };
    // To an expression what is missing lies below null, and maybe below all.
    const isLowest = value.$literal instanceof MinKey && !descending;
    return [isLowest ? { $or: [beyond, { [path]: { $eq: null } }] } : beyond];
  },
});
