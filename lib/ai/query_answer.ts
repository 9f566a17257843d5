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

/** Schema of the model's answer, with any text as field or operator, to drop only bad filters. */
export const QueryAnswer = z.strictObject({
  filters: z.array(z.strictObject({
    field: z.string(),
    operator: z.string(),
    value: z.union([Scalar, z.array(Scalar)]),
  })),
  sort: z.string().nullable(),
});

export interface QueryFilter {
  readonly field: string;
  readonly operator: string;
  readonly value: Json;
}

/** A condition that was dropped. `operator` is null for a sort field. */
export interface DroppedCondition {
  readonly field: string;
  readonly operator: string | null;
  readonly value: Json;
  readonly reason: string;
}

export interface WrittenQuery {
  readonly filters: readonly QueryFilter[];
  readonly sort: string | null;
  /** The query string, which the list operation accepts. */
  readonly query: string;
  readonly dropped: readonly DroppedCondition[];
}

/** A condition with the filter to which the list operation must parse it. */
interface AcceptedCondition {
  readonly filter: QueryFilter & { readonly operator: QueryOperator };
  readonly expected: Filter;
}

/** Characters of a query string. */
const QUERY_LENGTH_MAX = 6_000;
type QueryOperator = (typeof OPERATORS)[number];

const FILTERS_MAX = WHERE_CONDITIONS_MAX;

/** Number of sort terms that are examined. A list accepts fewer. */
const TERMS_MAX = 50;

/** Writes a query that the list operation parses to exactly these conditions. Drops others. */
export function writeQuery(
  collection: Collection,
  answer: z.infer<typeof QueryAnswer>,
  moment: Moment,
): WrittenQuery {
  const writer = createQueryWriter(collection);
  const filters: QueryFilter[] = [];
  const dropped: DroppedCondition[] = [];
  for (const [index, given] of answer.filters.entries()) {
    try {
      if (index >= FILTERS_MAX) throw new RefusedCondition(`beyond ${FILTERS_MAX} conditions`);
      const accepted = acceptCondition(collection, given, moment);
      writer.add(accepted);
      filters.push(accepted.filter);
    } catch (error) {
      dropped.push({ ...given, reason: reasonOf(error) });
    }
  }
  const sort = acceptSort(collection, answer.sort, dropped);
  if (filters.some(({ field }) => field === "isDeleted" || field === "deletedAt")) {
    writer.showTrash();
  }
  return { filters, sort, query: writer.query(sort), dropped };
}

class RefusedCondition extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedCondition || error instanceof Problem) return error.message;
  throw error;
}

function acceptCondition(
  collection: Collection,
  { field, operator: given, value: raw }: QueryFilter,
  moment: Moment,
): AcceptedCondition {
  const declared = declaredAt(collection, field);
  if (declared.kind !== "declared") {
    throw new RefusedCondition("The collection does not declare this field.");
  }
  const operator = parseOperator(given);
  if (operator === null) {
    throw new RefusedCondition(`The operator is unknown: use one of ${OPERATORS.join(", ")}.`);
  }
  const value = convertOperand(raw, operator, { shape: declared.shape, moment });
  const operand = { parameter: field, path: field, shape: declared.shape };
  const expected = conditionFromJson(operand, operator, value);
  return { filter: { field, operator, value }, expected };
}

function parseOperator(text: string): QueryOperator | null {
  const name = text.trim().toLowerCase().replace(/^_/, "");
  if (name === "=") return "eq";
  return OPERATORS.find((one) => one === name) ?? null;
}

/** Converts a value to the field's type if that is unambiguous. Returns it unchanged otherwise. */
function convertOperand(
  value: Json,
  operator: QueryOperator,
  at: { readonly shape: FieldShape; readonly moment: Moment },
): Json {
  if (operator === "in" || operator === "nin") {
    return (Array.isArray(value) ? value : [value]).map((one) => convertValue(one, at));
  }
  if (operator === "exists") return value === "true" || (value === "false" ? false : value);
  return operator === "regex" ? value : convertValue(value, at);
}

function convertValue(
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

/** Returns the terms by which the list can sort, or null. Other terms are dropped. */
function acceptSort(
  collection: Collection,
  text: string | null,
  dropped: DroppedCondition[],
): string | null {
  const accepted: string[] = [];
  const terms = (text ?? "").split(",", TERMS_MAX).map((one) => one.trim());
  for (const term of terms.filter((one) => one !== "")) {
    try {
      parseListQuery(collection, formatParameters([["sort", [...accepted, term].join(",")]]));
      accepted.push(term);
    } catch (error) {
      const reason = accepted.length === SORT_KEYS_MAX ? "Too many fields." : reasonOf(error);
      dropped.push({ field: term, operator: null, value: null, reason });
    }
  }
  return accepted.length === 0 ? null : accepted.join(",");
}

const formatParameters = (entries: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(entries.map(([name, value]) => [name, value])).toString();

type QueryParameter = readonly [string, string];

/** Writes a parameter if the list parses it to the same filter, and uses `where` otherwise. */
function createQueryWriter(collection: Collection) {
  let plain: { part: QueryParameter; expected: Filter }[] = [];
  let wheres: AcceptedCondition[] = [];
  let includesTrash = false;

  const parts = (): QueryParameter[] => [
    ...plain.map(({ part }) => part),
    ...(wheres.length === 0 ? [] : [["where", whereText(wheres)] as const]),
    ...(includesTrash ? [["include_deleted", "true"] as const] : []),
  ];

  /** Whether the list operation parses the query so far to the expected filter. */
  function isReadAsMeant(): boolean {
    const expected = and(...[...plain, ...wheres].map((one) => one.expected));
    const text = formatParameters(parts());
    try {
      return text.length <= QUERY_LENGTH_MAX &&
        isDeepStrictEqual(parseListQuery(collection, text).filter, expected);
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  return {
    add(accepted: AcceptedCondition): void {
      const before = { plain, wheres };
      const part = toParameter(accepted.filter);
      if (part !== null && !plain.some((one) => one.part[0] === part[0])) {
        plain = [...before.plain, { part, expected: accepted.expected }];
        if (isReadAsMeant()) return;
      }
      ({ plain } = before);
      wheres = [...before.wheres, accepted];
      if (isReadAsMeant()) return;
      ({ wheres } = before);
      throw new RefusedCondition(
        "The condition does not fit into a query, or not together with the others: it has up to " +
          `${exactBytesText(WHERE_BYTES_MAX)}.`,
      );
    },
    showTrash: () => void (includesTrash = true),
    query: (sort: string | null) =>
      formatParameters([...parts(), ...(sort === null ? [] : [["sort", sort] as const])]),
  };
}

/** Returns a condition as a parameter, or null for a reserved name. */
function toParameter(
  { field, operator, value }: AcceptedCondition["filter"],
): QueryParameter | null {
  const name = operator === "eq" ? field : `${field}_${operator}`;
  if ((RESERVED_PARAMETERS as readonly string[]).includes(name)) return null;
  if ((RESERVED_PARAMETERS as readonly string[]).includes(field)) return null;
  return [name, Array.isArray(value) ? value.join(",") : String(value)];
}

function whereText(conditions: readonly AcceptedCondition[]): string {
  const trees = conditions.map(({ filter: { field, operator, value } }) => ({
    [field]: { [operator]: value },
  }));
  return JSON.stringify(trees.length === 1 ? trees[0] : { and: trees });
}
