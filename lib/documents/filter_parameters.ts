import { Problem } from "../problems.ts";
import { jsonRefusal } from "../store/exact_json.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Filter, Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import type { ConditionReader } from "./condition_reader.ts";
import { pathSizeProblem } from "./names.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import {
  conditionFromJson,
  conditionsFromTexts,
  type Operator,
  SUFFIXES,
  suffixOperator,
} from "./operands.ts";
import { JSON_FILTER } from "./reserved_parameters.ts";

/** A parameter of a query, decoded. */
export type Parameter = readonly [name: string, value: string];

const BRACKETED = /^filter\[([^[\]]+)\]$/;

const refuse = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${shown(name)} ${why}.` });

/** Whether a collection declares a field of this very name. */
export const isDeclared = (collection: Collection, name: string): boolean =>
  declaredAt(collection, name).kind === "declared";

/** Whether the parameter is the JSON text of a filter, and not a field of that name. */
export const isJsonFilter = (collection: Collection, name: string): boolean =>
  name === JSON_FILTER && !isDeclared(collection, name);

/**
 * The conditions of all parameters that filter: `views_gt=5`, `filter[views_gt]=5` and
 * `filter={"views_gt":5}`. Throws `INVALID_QUERY` and `UNKNOWN_OPERATOR`.
 */
export function filterConditions(
  reader: ConditionReader,
  parameters: readonly Parameter[],
): Filter[] {
  const { collection } = reader;
  const textsByName = new Map<string, string[]>();
  const conditions: Filter[] = [];
  for (const [name, value] of parameters) {
    if (isJsonFilter(collection, name)) {
      conditions.push(...conditionsOfJson(reader, value));
    } else {
      const field = fieldName(name);
      const texts = textsByName.get(field);
      if (texts === undefined) textsByName.set(field, [value]);
      else texts.push(value);
    }
  }
  for (const [name, texts] of textsByName) {
    const { path, operator } = splitName(collection, name);
    reader.count(operator, operator === "in" || operator === "nin" ? 1 : texts.length);
    conditions.push(...conditionsFromTexts(reader.operand(name, path), operator, texts));
  }
  return conditions;
}

function fieldName(name: string): string {
  if (!name.startsWith("filter[")) return name;
  const field = BRACKETED.exec(name)?.[1];
  if (field === undefined) throw refuse(name, "is no filter: write filter[field_gt]=5");
  return field;
}

function conditionsOfJson(reader: ConditionReader, text: string): Filter[] {
  let members: Json;
  try {
    members = parseExactJson(text);
  } catch (cause) {
    const why = jsonRefusal(cause, text, 'is not valid JSON, such as {"views_gt":5}');
    throw refuse(JSON_FILTER, why);
  }
  if (!isObject(members)) {
    throw refuse(JSON_FILTER, 'must be an object, such as {"views_gt":5}');
  }
  return Object.entries(members).map(([name, value]) => {
    const { path, operator } = splitName(reader.collection, name);
    reader.count(operator);
    return conditionFromJson(reader.operand(JSON_FILTER, path), operator, value);
  });
}

/**
 * The field and the operator that a parameter names. A declared name is itself, also when it ends
 * like an operator; then `<field>_<operator>`. Throws `INVALID_QUERY` for a path that is too long,
 * and `UNKNOWN_OPERATOR`.
 */
export function splitName(
  collection: Collection,
  name: string,
): { path: string; operator: Operator } {
  const whole = { path: name, operator: "eq" } as const;
  const at = name.lastIndexOf("_");
  const path = name.slice(0, Math.max(at, 0));
  const suffix = name.slice(at + 1);
  const operator = suffixOperator(suffix);
  const problem = pathSizeProblem(operator === null ? name : path);
  if (problem !== null) throw refuse(name, `cannot be a filter: ${problem}`);
  if (isDeclared(collection, name)) return whole;
  if (path === "") return whole;
  if (operator !== null && operator !== "eq") return { path, operator };
  if (!isDeclared(collection, path)) return whole;
  const isLike = /^i?like$/i.test(suffix); // As SQL has it.
  const meant = nearest(suffix, SUFFIXES);
  const names = [...declaredPaths(collection), ...meant === null ? [] : [`${path}_${meant}`]];
  throw new Problem("UNKNOWN_OPERATOR", {
    message: `${shown(name)} ends in an unknown operator: use ${path} for equality, or ` +
      "_gt, _gte, _lt, _lte, _ne, _in, _nin, _exists, _regex, _contains or _startswith." +
      (isLike ? ` Did you mean ${shown(`${path}_contains`)}?` : didYouMean(name, names)),
  });
}
