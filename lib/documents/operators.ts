import { FIELD_TYPES } from "../store/field_types.ts";
import type { Change, Json } from "../store/port.ts";
import { isObject, ownMember, readValue, typesChangedBy } from "../store/shape.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMeanAside } from "../text/nearest.ts";
import type { FieldDefinition } from "./fields.ts";
import { validateValue } from "./validate.ts";

/** Update operators of `PATCH`, which compute the new value from the stored value atomically. */
export const OPERATORS = [
  "$inc",
  "$min",
  "$max",
  "$push",
  "$pull",
  "$addToSet",
  "$unset",
  "$now",
] as const;

type OperatorName = typeof OPERATORS[number];

/** A field that an operator changes. */
export interface OperatorTarget {
  readonly path: string;
  /** Null if the path is not declared. */
  readonly field: FieldDefinition | null;
  readonly strict: boolean;
  /** Level of the value in its document. */
  readonly depth: number;
  /** ISO 8601. */
  readonly now: string;
}

export type OperatorResult = { readonly change: Change } | { readonly fault: string };

/** Name of the member that holds several elements: `{ "$push": { "$each": [1, 2] } }`. */
const EACH = "$each";

/** Whether a `PATCH` value is an update operator such as `{ "$inc": 1 }`. */
export const isOperator = (value: Json): value is { [name: string]: Json } =>
  isObject(value) && Object.keys(value).some((name) => name.startsWith("$"));

export function readOperator(
  target: OperatorTarget,
  value: { readonly [name: string]: Json },
): OperatorResult {
  const names = Object.keys(value);
  const unknown = names.find((name) => !OPERATORS.some((known) => known === name));
  if (unknown !== undefined) {
    const meant = didYouMeanAside(unknown, OPERATORS);
    return {
      fault: `has no operator ${quoted(unknown)}${meant}: use one of ${OPERATORS.join(", ")}`,
    };
  }
  if (names.length > 1) return { fault: "takes one operator at a time" };
  const name = names[0] as OperatorName; // Unknown names are rejected above.
  const operand = value[name]!;
  const fault = typeProblem(target, name);
  if (fault !== null) return { fault };
  switch (name) {
    case "$inc":
      return readIncrement(target, operand);
    case "$min":
    case "$max":
      return readBound(target, name, operand);
    case "$push":
    case "$pull":
    case "$addToSet":
      return readListChange(target, name, operand);
    case "$unset":
      return readUnset(target, operand);
    case "$now":
      return readNow(target, operand);
  }
}

function typeProblem({ field }: OperatorTarget, name: OperatorName): string | null {
  const types = typesChangedBy(name);
  if (name === "$unset" || field === null || types.includes(field.type)) return null;
  const wanted = types.map((type) => `${type}s`).join(" and ");
  return `does not support ${name}, which is for ${wanted}: it is declared as ${field.type}`;
}

function readIncrement(target: OperatorTarget, by: Json): OperatorResult {
  const type = target.field?.type ?? "Number";
  const number = readValue(type, by);
  return typeof number === "number" && Number.isFinite(number)
    ? { change: { increment: { [target.path]: number } } }
    : { fault: `needs ${FIELD_TYPES[type].filterRequirement} for $inc` };
}

function readBound(target: OperatorTarget, name: "$min" | "$max", operand: Json): OperatorResult {
  const [value, fault] = validateOperands(target, target.field ?? { type: "Number" }, [operand]);
  if (fault !== null) return { fault };
  const bounding = value[0];
  if (typeof bounding !== "number" && typeof bounding !== "string") {
    return { fault: `needs a value for ${name}` };
  }
  const part = { [target.path]: bounding };
  return { change: name === "$min" ? { min: part } : { max: part } };
}

const LIST_CHANGES = { $push: "push", $pull: "pull", $addToSet: "addToSet" } as const;

function readListChange(
  target: OperatorTarget,
  name: keyof typeof LIST_CHANGES,
  operand: Json,
): OperatorResult {
  const given = elementsOf(operand);
  if (given === null) {
    return { fault: `needs { "${EACH}": [ … ] } for several elements of ${name}` };
  }
  const [elements, fault] = validateOperands(target, target.field?.items ?? null, given);
  if (fault !== null) return { fault };
  return { change: { [LIST_CHANGES[name]]: { [target.path]: elements } } };
}

/** Returns null if `$each` is invalid. */
function elementsOf(operand: Json): Json[] | null {
  if (!isObject(operand) || !Object.hasOwn(operand, EACH)) return [operand];
  const each = ownMember(operand, EACH);
  return Array.isArray(each) && Object.keys(operand).length === 1 ? each : null;
}

/** Returns the values in their stored form, or the fault of the first invalid value. */
function validateOperands(
  { strict, depth }: OperatorTarget,
  field: Parameters<typeof validateValue>[0],
  values: readonly Json[],
): [values: Json[], fault: string | null] {
  const fits: Json[] = [];
  for (const value of values) {
    const { value: fit, faults } = validateValue(field, value, { strict, depth: depth + 1 });
    const first = faults[0];
    if (first !== undefined) {
      const where = first.path === "" ? "" : `${quoted(first.path)} `;
      return [[], `cannot take this: ${where}${first.message}`];
    }
    fits.push(fit);
  }
  return [fits, null];
}

function readUnset({ path, field }: OperatorTarget, operand: Json): OperatorResult {
  if (operand !== true) return { fault: "needs true for $unset" };
  if (field?.required) return { fault: "is required and cannot be removed" };
  return { change: { unset: [path] } };
}

function readNow(target: OperatorTarget, operand: Json): OperatorResult {
  if (operand !== true) return { fault: "needs true for $now" };
  return { change: { set: { [target.path]: target.now } } };
}
