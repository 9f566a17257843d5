import { FIELD_TYPES } from "../store/field_types.ts";
import type { Change, Json } from "../store/port.ts";
import { isObject, own, readValue, typesChangedBy } from "../store/shape.ts";
import { shown } from "../text/input_text.ts";
import { meantAside } from "../text/nearest.ts";
import type { FieldDefinition } from "./fields.ts";
import { validateValue } from "./validate.ts";

/** What in a `PATCH` makes a value of the stored one, in one step with the write. */
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
  /** Null where nothing is declared. */
  readonly field: FieldDefinition | null;
  readonly strict: boolean;
  /** Level of the value in its document. */
  readonly depth: number;
  /** The time of the write. */
  readonly now: string;
}

/** A part of a change, or what is wrong with what was sent. */
export type Operated = { readonly change: Change } | { readonly fault: string };

/** The only member of an object that is an operator's, by which several elements are given. */
const EACH = "$each";

/** Whether an object is no value, but says what to do with the stored one. */
export const isOperator = (value: Json): value is { [name: string]: Json } =>
  isObject(value) && Object.keys(value).some((name) => name.startsWith("$"));

/** What an object with an operator asks for. */
export function operate(
  target: OperatorTarget,
  value: { readonly [name: string]: Json },
): Operated {
  const names = Object.keys(value);
  const unknown = names.find((name) => !OPERATORS.some((known) => known === name));
  if (unknown !== undefined) {
    const meant = meantAside(unknown, OPERATORS);
    return {
      fault: `has no operator ${shown(unknown)}${meant}: use one of ${OPERATORS.join(", ")}`,
    };
  }
  if (names.length > 1) return { fault: "takes one operator at a time" };
  const name = names[0] as OperatorName; // One of those that are known.
  const operand = value[name]!;
  const fault = unfitness(target, name);
  if (fault !== null) return { fault };
  switch (name) {
    case "$inc":
      return increment(target, operand);
    case "$min":
    case "$max":
      return bound(target, name, operand);
    case "$push":
    case "$pull":
    case "$addToSet":
      return changeList(target, name, operand);
    case "$unset":
      return unset(target, operand);
    case "$now":
      return setNow(target, operand);
  }
}

/** Why the type of a declared field does not take an operator; null where it does. */
function unfitness({ field }: OperatorTarget, name: OperatorName): string | null {
  const types = typesChangedBy(name);
  if (name === "$unset" || field === null || types.includes(field.type)) return null;
  const wanted = types.map((type) => `${type}s`).join(" and ");
  return `takes no ${name}, which is for ${wanted}: it is declared as ${field.type}`;
}

function increment(target: OperatorTarget, by: Json): Operated {
  const type = target.field?.type ?? "Number";
  const number = readValue(type, by);
  return typeof number === "number" && Number.isFinite(number)
    ? { change: { increment: { [target.path]: number } } }
    : { fault: `needs ${FIELD_TYPES[type].wantedInFilter} for $inc` };
}

function bound(target: OperatorTarget, name: "$min" | "$max", operand: Json): Operated {
  const [value, fault] = fitted(target, target.field ?? { type: "Number" }, [operand]);
  if (fault !== null) return { fault };
  const bounding = value[0];
  if (typeof bounding !== "number" && typeof bounding !== "string") {
    return { fault: `needs a value for ${name}` };
  }
  const part = { [target.path]: bounding };
  return { change: name === "$min" ? { min: part } : { max: part } };
}

const LISTS = { $push: "push", $pull: "pull", $addToSet: "addToSet" } as const;

function changeList(target: OperatorTarget, name: keyof typeof LISTS, operand: Json): Operated {
  const given = elementsOf(operand);
  if (given === null) {
    return { fault: `needs { "${EACH}": [ … ] } for several elements of ${name}` };
  }
  const [elements, fault] = fitted(target, target.field?.items ?? null, given);
  if (fault !== null) return { fault };
  return { change: { [LISTS[name]]: { [target.path]: elements } } };
}

/** One element, or those of `{ "$each": [ … ] }`; null where that holds something else. */
function elementsOf(operand: Json): Json[] | null {
  if (!isObject(operand) || !Object.hasOwn(operand, EACH)) return [operand];
  const each = own(operand, EACH);
  return Array.isArray(each) && Object.keys(operand).length === 1 ? each : null;
}

/** The values as they are stored, or what is wrong with the first that does not fit. */
function fitted(
  { strict, depth }: OperatorTarget,
  field: Parameters<typeof validateValue>[0],
  values: readonly Json[],
): [values: Json[], fault: string | null] {
  const fits: Json[] = [];
  for (const value of values) {
    const { value: fit, faults } = validateValue(field, value, { strict, depth: depth + 1 });
    const first = faults[0];
    if (first !== undefined) {
      const where = first.path === "" ? "" : `${shown(first.path)} `;
      return [[], `cannot take this: ${where}${first.message}`];
    }
    fits.push(fit);
  }
  return [fits, null];
}

function unset({ path, field }: OperatorTarget, operand: Json): Operated {
  if (operand !== true) return { fault: "needs true for $unset" };
  if (field?.required) return { fault: "is required and cannot be taken away" };
  return { change: { unset: [path] } };
}

function setNow(target: OperatorTarget, operand: Json): Operated {
  if (operand !== true) return { fault: "needs true for $now" };
  return { change: { set: { [target.path]: target.now } } };
}
