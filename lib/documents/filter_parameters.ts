import { Problem } from "../problems.ts";
import { jsonErrorReason } from "../store/exact_json.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Filter, Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import type { ConditionReader } from "./condition_reader.ts";
import { pathSizeProblem } from "./names.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean, nearestWord } from "../text/nearest.ts";
import {
  conditionFromJson,
  conditionsFromTexts,
  type Operator,
  operatorOfSuffix,
  SUFFIXES,
} from "./operands.ts";
import { JSON_FILTER } from "./reserved_parameters.ts";

export type Parameter = readonly [name: string, value: string];

const BRACKETED = /^filter\[([^[\]]+)\]$/;

const invalid = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${quoted(name)} ${why}.` });

export const isDeclared = (collection: Collection, name: string): boolean =>
  declaredAt(collection, name).kind === "declared";

/** Whether the parameter is a filter in JSON, and not a field named `filter`. */
export const isJsonFilter = (collection: Collection, name: string): boolean =>
  name === JSON_FILTER && !isDeclared(collection, name);

/**
 * Parses `views_gt=5`, `filter[views_gt]=5` and `filter={"views_gt":5}`. Throws `INVALID_QUERY` and
 * `UNKNOWN_OPERATOR`.
 */
export function parseFilters(reader: ConditionReader, parameters: readonly Parameter[]): Filter[] {
  const { collection } = reader;
  const textsByName = new Map<string, string[]>();
  const conditions: Filter[] = [];
  for (const [name, value] of parameters) {
    if (isJsonFilter(collection, name)) {
      conditions.push(...parseJsonFilter(reader, value));
    } else {
      const field = parseFieldName(name);
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

function parseFieldName(name: string): string {
  if (!name.startsWith("filter[")) return name;
  const field = BRACKETED.exec(name)?.[1];
  if (field === undefined) throw invalid(name, "is not a filter: write filter[field_gt]=5");
  return field;
}

function parseJsonFilter(reader: ConditionReader, text: string): Filter[] {
  let members: Json;
  try {
    members = parseExactJson(text);
  } catch (cause) {
    const why = jsonErrorReason(cause, text, 'is not valid JSON, such as {"views_gt":5}');
    throw invalid(JSON_FILTER, why);
  }
  if (!isObject(members)) {
    throw invalid(JSON_FILTER, 'must be an object, such as {"views_gt":5}');
  }
  return Object.entries(members).map(([name, value]) => {
    const { path, operator } = splitName(reader.collection, name);
    reader.count(operator);
    return conditionFromJson(reader.operand(JSON_FILTER, path), operator, value);
  });
}

/**
 * Splits `<field>_<operator>`. A declared field has precedence, also if its name ends like an
 * operator. Throws `INVALID_QUERY` for a path that is too long, and `UNKNOWN_OPERATOR`.
 */
export function splitName(
  collection: Collection,
  name: string,
): { path: string; operator: Operator } {
  const equality = { path: name, operator: "eq" } as const;
  const at = name.lastIndexOf("_");
  const path = name.slice(0, Math.max(at, 0));
  const suffix = name.slice(at + 1);
  const operator = operatorOfSuffix(suffix);
  const problem = pathSizeProblem(operator === null ? name : path);
  if (problem !== null) throw invalid(name, `cannot be a filter: ${problem}`);
  if (isDeclared(collection, name)) return equality;
  if (path === "") return equality;
  if (operator !== null && operator !== "eq") return { path, operator };
  if (!isDeclared(collection, path)) return equality;
  const isLike = /^i?like$/i.test(suffix); // The operator of SQL.
  const meant = nearestWord(suffix, SUFFIXES);
  const names = [...declaredPaths(collection), ...meant === null ? [] : [`${path}_${meant}`]];
  throw new Problem("UNKNOWN_OPERATOR", {
    message: `${quoted(name)} ends in an unknown operator: use ${path} for equality, or ` +
      "_gt, _gte, _lt, _lte, _ne, _in, _nin, _exists, _regex, _contains or _startswith." +
      (isLike ? ` Did you mean ${quoted(`${path}_contains`)}?` : didYouMean(name, names)),
  });
}
