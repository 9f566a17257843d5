/** What a filter's operand can mean. */
import type { Item } from "./model_types.ts";
import type { Operator } from "./model_conditions.ts";
import { type Json, refuse, type Scalar } from "./model_values.ts";

export const OPERATORS = [
  ...["gt", "gte", "lt", "lte", "ne", "in", "nin", "exists", "regex"] as const,
];

/** Values of which any may match; a pattern for `regex`, a flag for `exists`. */
export type Operand = readonly Scalar[];

/** Reads operands out of a query string. */
export function fromText(type: Item | null, operator: Operator, texts: readonly string[]): Operand {
  if (operator === "exists") return texts.map(asFlag);
  if (operator === "regex") return texts.map((text) => asPattern(type, text));
  const operand = texts.flatMap((text) => readings(elementType(type), text));
  return ORDERINGS.includes(operator) ? ordered(operand) : operand;
}

/** Reads an operand out of a `where` tree. */
export function fromJson(type: Item | null, operator: Operator, value: Json): Operand {
  if (operator === "in" || operator === "nin") {
    if (!Array.isArray(value)) throw refuse();
    return value.flatMap((one: Json) => typed(elementType(type), one));
  }
  if (operator === "exists") {
    if (typeof value !== "boolean") throw refuse();
    return [value];
  }
  if (operator === "regex") {
    if (typeof value !== "string") throw refuse();
    return [asPattern(type, value)];
  }
  const operand = typed(elementType(type), value);
  return ORDERINGS.includes(operator) ? ordered(operand) : operand;
}

const ORDERINGS: readonly Operator[] = ["gt", "gte", "lt", "lte"];

/** Nothing is above or below null: one that can only be read so is refused. */
function ordered(operand: Operand): Operand {
  const values = operand.filter((value) => value !== null);
  if (values.length === 0) throw refuse();
  return values;
}

/** On an array the operand is compared with its elements. */
const elementType = (type: Item | null): Item | null =>
  type?.type === "Array" ? type.items ?? null : type;

function asFlag(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") throw refuse();
  return lower === "true";
}

/** Patterns are for text. */
function asPattern(type: Item | null, text: string): string {
  const element = elementType(type);
  if (element !== null && element.type !== "String") throw refuse();
  return text;
}

/** What JSON calls a number, and a double can hold. */
const asNumber = (text: string): number | null =>
  NUMBER.test(text) && Number.isFinite(Number(text)) && !isRounded(text) ? Number(text) : null;

/** Whether it is an integer of which reading makes another one. */
const isRounded = (text: string): boolean =>
  /^-?\d+$/.test(text) && String(Number(text)) !== text && BigInt(text) !== BigInt(Number(text));

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A text takes the declared type, and null fits every one; text itself can be "null". Where none
 * is declared every reading counts.
 */
function readings(type: Item | null, text: string): Scalar[] {
  if (type !== null) {
    return [text === "null" && type.type !== "String" ? null : declared(type, text)];
  }
  return [
    text,
    ...(asNumber(text) === null ? [] : [asNumber(text)]),
    ...(/^(?:true|false)$/i.test(text) ? [text.toLowerCase() === "true"] : []),
    ...(text === "null" ? [null] : []),
  ];
}

function refused(): never {
  throw refuse();
}

function declared({ type }: Item, text: string): Scalar {
  switch (type) {
    case "String":
      return text;
    case "Number":
      return asNumber(text) ?? refused();
    case "Boolean":
      return asFlag(text);
    case "Date":
      return asDate(text);
    case "Ref":
      return asId(text);
    default:
      throw refuse();
  }
}

const UNQUOTED: readonly string[] = ["Number", "Boolean"];

/** A value of a tree has its type already. */
function typed(type: Item | null, value: Json): Scalar[] {
  if (value !== null && typeof value === "object") throw refuse();
  if (value === null || type === null) return [value];
  if (typeof value === "string" && !UNQUOTED.includes(type.type)) return [declared(type, value)];
  if (typeof value === "number" && type.type === "Number") return [value];
  if (typeof value === "boolean" && type.type === "Boolean") return [value];
  throw refuse();
}

const ZONED = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** ISO 8601 with a zone, or a plain date for midnight in UTC. */
function asDate(text: string): string {
  const time = ZONED.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw refuse();
  return new Date(time).toISOString();
}

function asId(text: string): string {
  if (!/^[0-9a-f]{24}$/i.test(text)) throw refuse();
  return text.toLowerCase();
}
