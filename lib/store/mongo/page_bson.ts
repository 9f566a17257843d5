import { ObjectId } from "mongodb";
import type { Definition, Filter, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { scalarAt } from "../shape.ts";
import type { Bson } from "./encode.ts";
import { filterBson, operandBson } from "./filter_bson.ts";

/** What a list asks for, without its position. */
export interface PageShape {
  readonly definition: Definition;
  /** The sort with `_id` as its last key, turned round for reading backwards. */
  readonly order: readonly SortKey[];
  readonly filter: Bson;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

export function pageShape(definition: Definition, query: ListQuery): PageShape {
  const order = sortOrder(query);
  return {
    definition,
    order,
    filter: bothSides(definition, query.filter),
    sort: Object.fromEntries(order.map(({ path, descending }) => [path, descending ? -1 : 1])),
  };
}

/**
 * The filter of a page. Behind a position the rest of a list is a chain of ranges: the rows equal
 * to it in all keys with a later id, those equal in all keys but the last, and so on. Each arm of
 * the `$or` is whole by itself, so that an index over the sort serves each, and they are merged.
 */
export function pageFilter(
  { definition, order, filter }: PageShape,
  from: Position | undefined,
): Bson {
  if (from === undefined) return filter;
  const arms = rangesBehind(definition, order, from).map((range) => ({ $and: [filter, ...range] }));
  return arms.length === 1 ? arms[0]! : { $or: arms };
}

function sortOrder({ sort, backwards = false }: ListQuery): SortKey[] {
  const idAt = sort.findIndex(({ path }) => path === "_id");
  const keys = idAt < 0 ? [...sort] : sort.slice(0, idAt + 1);
  if (idAt < 0) keys.push({ path: "_id", descending: keys.at(-1)?.descending ?? false });
  return keys.map(({ path, descending }) => ({ path, descending: descending !== backwards }));
}

/** Indexes begin with `isDeleted`: with both its values named, each comes in order and is merged. */
function bothSides(definition: Definition, filter: Filter): Bson {
  const asked = filterBson(definition, filter);
  if (!definition.trash || fixesTrash(filter)) return asked;
  return { $and: [{ isDeleted: { $in: [false, true] } }, asked] };
}

/** Whether the filter says which side of the trash it is about. */
function fixesTrash(filter: Filter): boolean {
  if (filter.op === "and") return filter.of.some(fixesTrash);
  return filter.op === "eq" && filter.path === "isDeleted";
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
