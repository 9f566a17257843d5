import type { Item } from "./model_types.ts";
import type { Operator } from "./model_conditions.ts";
import { createRefusal, type Json, type Scalar } from "./model_values.ts";

export const OPERATORS = [
  ...["gt", "gte", "lt", "lte", "ne", "in", "nin", "exists", "regex"] as const,
];

/** Values of which any may match; a pattern for `regex`, a flag for `exists`. */
export type Operand = readonly Scalar[];

export function fromText(type: Item | null, operator: Operator, texts: readonly string[]): Operand {
  if (operator === "exists") return texts.map(asFlag);
  if (operator === "regex") return texts.map((text) => asPattern(type, text));
  const operand = texts.flatMap((text) => readings(elementType(type), text));
  return ORDERINGS.includes(operator) ? orderedOperand(operand) : operand;
}

export function fromJson(type: Item | null, operator: Operator, value: Json): Operand {
  if (operator === "in" || operator === "nin") {
    if (!Array.isArray(value)) throw createRefusal();
    return value.flatMap((one: Json) => valuesOfJson(elementType(type), one));
  }
  if (operator === "exists") {
    if (typeof value !== "boolean") throw createRefusal();
    return [value];
  }
  if (operator === "regex") {
    if (typeof value !== "string") throw createRefusal();
    return [asPattern(type, value)];
  }
  const operand = valuesOfJson(elementType(type), value);
  return ORDERINGS.includes(operator) ? orderedOperand(operand) : operand;
}

const ORDERINGS: readonly Operator[] = ["gt", "gte", "lt", "lte"];

/** Refuses an operand that can only be null, because null has no order. */
function orderedOperand(operand: Operand): Operand {
  const values = operand.filter((value) => value !== null);
  if (values.length === 0) throw createRefusal();
  return values;
}

/** Returns the type of an array's elements, with which operands are compared. */
const elementType = (type: Item | null): Item | null =>
  type?.type === "Array" ? type.items ?? null : type;

function asFlag(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") throw createRefusal();
  return lower === "true";
}

/** Returns a pattern, which only text fields accept. */
function asPattern(type: Item | null, text: string): string {
  const element = elementType(type);
  if (element !== null && element.type !== "String") throw createRefusal();
  return text;
}

/** Reads a JSON number that a double can represent. */
const asNumber = (text: string): number | null =>
  NUMBER.test(text) && Number.isFinite(Number(text)) && !isRounded(text) ? Number(text) : null;

/** Returns whether the text is an integer that a double rounds. */
const isRounded = (text: string): boolean =>
  /^-?\d+$/.test(text) && String(Number(text)) !== text && BigInt(text) !== BigInt(Number(text));

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the values that a text can mean. A declared type has one reading, and null fits every
 * type; "null" can also be text. Without a declaration, all readings count.
 */
function readings(type: Item | null, text: string): Scalar[] {
  if (type !== null) {
    return [text === "null" && type.type !== "String" ? null : declaredValue(type, text)];
  }
  return [
    text,
    ...(asNumber(text) === null ? [] : [asNumber(text)]),
    ...(/^(?:true|false)$/i.test(text) ? [text.toLowerCase() === "true"] : []),
    ...(text === "null" ? [null] : []),
  ];
}

function refuseOperand(): never {
  throw createRefusal();
}

function declaredValue({ type }: Item, text: string): Scalar {
  switch (type) {
    case "String":
      return text;
    case "Number":
      return asNumber(text) ?? refuseOperand();
    case "Boolean":
      return asFlag(text);
    case "Date":
      return asDate(text);
    case "Ref":
      return asId(text);
    default:
      throw createRefusal();
  }
}

const UNQUOTED: readonly string[] = ["Number", "Boolean"];

/** Returns a value of a tree, which already has its type. */
function valuesOfJson(type: Item | null, value: Json): Scalar[] {
  if (value !== null && typeof value === "object") throw createRefusal();
  if (value === null || type === null) return [value];
  if (typeof value === "string" && !UNQUOTED.includes(type.type)) {
    return [declaredValue(type, value)];
  }
  if (typeof value === "number" && type.type === "Number") return [value];
  if (typeof value === "boolean" && type.type === "Boolean") return [value];
  throw createRefusal();
}

const ZONED = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Reads ISO 8601 with a zone, or a plain date, which is midnight in UTC. */
function asDate(text: string): string {
  const time = ZONED.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw createRefusal();
  return new Date(time).toISOString();
}

function asId(text: string): string {
  if (!/^[0-9a-f]{24}$/i.test(text)) throw createRefusal();
  return text.toLowerCase();
}
