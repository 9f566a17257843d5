import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Collection, declaredAt } from "../documents/collection.ts";
import { comparedType, conditionFromJson, OPERATORS } from "../documents/operands.ts";
import { parseListQuery } from "../documents/query.ts";
import { RESERVED_PARAMETERS } from "../documents/reserved_parameters.ts";
import { SORT_KEYS_MAX, WHERE_BYTES_MAX, WHERE_CONDITIONS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { FIELD_TYPES } from "../store/field_types.ts";
import { and } from "../store/filter.ts";
import type { FieldShape, Filter, Json } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { type Moment, resolveDate } from "./zoned_dates.ts";

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** What a model is asked for; any text as field or operator, or one bad filter would spoil all. */
export const QueryAnswer = z.strictObject({
  filters: z.array(z.strictObject({
    field: z.string(),
    operator: z.string(),
    value: z.union([Scalar, z.array(Scalar)]),
  })),
  sort: z.string().nullable(),
});

/** A condition in the words of the list's `where`. */
export interface QueryFilter {
  readonly field: string;
  readonly operator: string;
  readonly value: Json;
}

/** What was not taken over; `operator` is null for a field to sort by. */
export interface Dropped {
  readonly field: string;
  readonly operator: string | null;
  readonly value: Json;
  readonly reason: string;
}

/** An answer as a query of the list. */
export interface WrittenQuery {
  readonly filters: readonly QueryFilter[];
  readonly sort: string | null;
  /** What follows the question mark; the list takes it as it is. */
  readonly query: string;
  readonly dropped: readonly Dropped[];
}

/** A condition with the filter that the list must make of it. */
interface Accepted {
  readonly filter: QueryFilter & { readonly operator: QueryOperator };
  readonly expected: Filter;
}

const QUERY_LENGTH_MAX = 6_000;
type QueryOperator = (typeof OPERATORS)[number];

const FILTERS_MAX = WHERE_CONDITIONS_MAX;

/** Terms of a sort that are looked at; a list takes fewer. */
const TERMS_MAX = 50;

/**
 * The model's answer as a query that the list accepts and reads as exactly these conditions; what
 * the collection does not know, or the list would refuse, is dropped.
 */
export function writeQuery(
  collection: Collection,
  answer: z.infer<typeof QueryAnswer>,
  moment: Moment,
): WrittenQuery {
  const writer = openWriter(collection);
  const filters: QueryFilter[] = [];
  const dropped: Dropped[] = [];
  for (const [index, given] of answer.filters.entries()) {
    try {
      if (index >= FILTERS_MAX) throw new Refusal(`beyond ${FILTERS_MAX} conditions`);
      const accepted = acceptedOf(collection, given, moment);
      writer.add(accepted);
      filters.push(accepted.filter);
    } catch (error) {
      dropped.push({ ...given, reason: reasonOf(error) });
    }
  }
  const sort = sortOf(collection, answer.sort, dropped);
  if (filters.some(({ field }) => field === "isDeleted" || field === "deletedAt")) {
    writer.showTrash();
  }
  return { filters, sort, query: writer.query(sort), dropped };
}

class Refusal extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof Problem) return error.message;
  throw error;
}

function acceptedOf(
  collection: Collection,
  { field, operator: given, value: raw }: QueryFilter,
  moment: Moment,
): Accepted {
  const declared = declaredAt(collection, field);
  if (declared.kind !== "declared") throw new Refusal("The collection declares no such field.");
  const operator = operatorOf(given);
  if (operator === null) {
    throw new Refusal(`There is no such operator: there are ${OPERATORS.join(", ")}.`);
  }
  const value = fitting(raw, operator, { shape: declared.shape, moment });
  const operand = { parameter: field, path: field, shape: declared.shape };
  const expected = conditionFromJson(operand, operator, value);
  return { filter: { field, operator, value }, expected };
}

function operatorOf(text: string): QueryOperator | null {
  const name = text.trim().toLowerCase().replace(/^_/, "");
  if (name === "=") return "eq";
  return OPERATORS.find((one) => one === name) ?? null;
}

/** The value as the field's type has it, where that is beyond doubt; else as it is. */
function fitting(
  value: Json,
  operator: QueryOperator,
  at: { readonly shape: FieldShape; readonly moment: Moment },
): Json {
  if (operator === "in" || operator === "nin") {
    return (Array.isArray(value) ? value : [value]).map((one) => fittingOne(one, at));
  }
  if (operator === "exists") return value === "true" || (value === "false" ? false : value);
  return operator === "regex" ? value : fittingOne(value, at);
}

function fittingOne(
  value: Json,
  { shape, moment }: { readonly shape: FieldShape; readonly moment: Moment },
): Json {
  const name = comparedType(shape);
  if (name === null) return value;
  const type = FIELD_TYPES[name];
  if (typeof value === "string") {
    return (type.input === "time" ? resolveDate(value, moment) : type.parse(value)) ?? value;
  }
  const isPlain = typeof value === "number" || typeof value === "boolean";
  return isPlain && type.isText ? String(value) : value;
}

/** The terms that the list can sort by, and each once; the others are dropped. */
function sortOf(collection: Collection, text: string | null, dropped: Dropped[]): string | null {
  const kept: string[] = [];
  const terms = (text ?? "").split(",", TERMS_MAX).map((one) => one.trim());
  for (const term of terms.filter((one) => one !== "")) {
    try {
      parseListQuery(collection, params([["sort", [...kept, term].join(",")]]));
      kept.push(term);
    } catch (error) {
      const reason = kept.length === SORT_KEYS_MAX ? "Too many fields." : reasonOf(error);
      dropped.push({ field: term, operator: null, value: null, reason });
    }
  }
  return kept.length === 0 ? null : kept.join(",");
}

const params = (entries: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(entries.map(([name, value]) => [name, value])).toString();

type Part = readonly [string, string];

/**
 * Writes conditions as parameters where the list reads them as the same, else into `where`: for
 * names that are reserved, values with a comma, and whatever else a parameter would say otherwise.
 */
function openWriter(collection: Collection) {
  let plain: { part: Part; expected: Filter }[] = [];
  let wheres: Accepted[] = [];
  let trash = false;

  const parts = (): Part[] => [
    ...plain.map(({ part }) => part),
    ...(wheres.length === 0 ? [] : [["where", whereText(wheres)] as const]),
    ...(trash ? [["include_deleted", "true"] as const] : []),
  ];

  /** Whether the list reads all that is written so far as it is meant. */
  function holds(): boolean {
    const expected = and(...[...plain, ...wheres].map((one) => one.expected));
    const text = params(parts());
    try {
      return text.length <= QUERY_LENGTH_MAX &&
        isDeepStrictEqual(parseListQuery(collection, text).filter, expected);
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  return {
    add(accepted: Accepted): void {
      const before = { plain, wheres };
      const part = parameterOf(accepted.filter);
      if (part !== null && !plain.some((one) => one.part[0] === part[0])) {
        plain = [...before.plain, { part, expected: accepted.expected }];
        if (holds()) return;
      }
      ({ plain } = before);
      wheres = [...before.wheres, accepted];
      if (holds()) return;
      ({ wheres } = before);
      throw new Refusal(
        "A query cannot say it, or not beside the others: it has up to " +
          `${exactBytesText(WHERE_BYTES_MAX)}.`,
      );
    },
    showTrash: () => void (trash = true),
    query: (sort: string | null) =>
      params([...parts(), ...(sort === null ? [] : [["sort", sort] as const])]),
  };
}

/** Null for what no parameter can say. */
function parameterOf({ field, operator, value }: Accepted["filter"]): Part | null {
  const name = operator === "eq" ? field : `${field}_${operator}`;
  if ((RESERVED_PARAMETERS as readonly string[]).includes(name)) return null;
  if ((RESERVED_PARAMETERS as readonly string[]).includes(field)) return null;
  return [name, Array.isArray(value) ? value.join(",") : String(value)];
}

function whereText(conditions: readonly Accepted[]): string {
  const trees = conditions.map(({ filter: { field, operator, value } }) => ({
    [field]: { [operator]: value },
  }));
  return JSON.stringify(trees.length === 1 ? trees[0] : { and: trees });
}
