import { ObjectId } from "mongodb";
import { fixesTrash, sortedBy } from "../advice.ts";
import type { Definition, Filter, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { scalarAt } from "../shape.ts";
import type { Bson } from "./encode.ts";
import { filterBson, operandBson } from "./filter_bson.ts";

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
  { values, id, inclusive = false }: Position,
): Bson[][] {
  const at = [...values.slice(0, order.length - 1), id];
  const operands = at.map((value, i) => operandAt(definition, order[i]!.path, value));
  return order.flatMap((key, i) => {
    const equal = order.slice(0, i).map(({ path }, j) => ({ [path]: { $eq: operands[j] } }));
    const last = i === order.length - 1;
    return beyond(key, operands[i], last && inclusive).map((range) => [...equal, range]);
  }).reverse();
}

/** Null sorts first: ascending, everything lies beyond it; descending, it lies beyond everything. */
function beyond({ path, descending }: SortKey, operand: unknown, inclusive: boolean): Bson[] {
  if (operand === null) return descending ? [] : [{ [path]: { $ne: null } }];
  const equal = inclusive ? "e" : "";
  if (!descending) return [{ [path]: { [`$gt${equal}`]: operand } }];
  const below = { [path]: { [`$lt${equal}`]: operand } };
  return path === "_id" ? [below] : [below, { [path]: { $eq: null } }];
}

const operandAt = (definition: Definition, path: string, value: Scalar): unknown =>
  path === "_id" ? new ObjectId(value as string) : operandBson(scalarAt(definition, path), value);
