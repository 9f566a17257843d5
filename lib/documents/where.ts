import { WHERE_BYTES_MAX, WHERE_DEPTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, not, or } from "../store/filter.ts";
import { jsonErrorReason } from "../store/exact_json.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Filter } from "../store/port.ts";
import type { ConditionReader } from "./condition_reader.ts";
import { ALL_OPERATORS, conditionFromJson, isOperator } from "./operands.ts";
import { exactBytesText } from "../text/amounts.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";

const invalid = (why: string) => new Problem("INVALID_QUERY", { message: `"where" ${why}.` });

/** Parses a `where` tree: `and`, `or`, `not`, `{ field: value }` and `{ field: { op: value } }`. */
export function parseWhere(reader: ConditionReader, text: string): Filter {
  if (new TextEncoder().encode(text).length > WHERE_BYTES_MAX) {
    throw invalid(`is longer than ${exactBytesText(WHERE_BYTES_MAX)}`);
  }
  let tree: unknown;
  try {
    tree = parseExactJson(text);
  } catch (cause) {
    throw invalid(jsonErrorReason(cause, text, 'is not valid JSON, such as {"views":{"gt":5}}'));
  }

  const node = (value: unknown, depth: number): Filter => {
    if (depth > WHERE_DEPTH_MAX) throw invalid(`is nested deeper than ${WHERE_DEPTH_MAX} levels`);
    const entries = Object.entries(requireObject(value));
    if (entries.length === 0) reader.count("eq"); // An empty object counts as a condition, too.
    return and(
      ...entries.map(([name, inner]) => {
        if (name === "and") return and(...branches(name, inner, depth));
        if (name === "or") return or(...branches(name, inner, depth));
        return name === "not" ? not(node(inner, depth + 1)) : field(name, inner);
      }),
    );
  };

  const branches = (name: string, value: unknown, depth: number): Filter[] => {
    if (!Array.isArray(value) || value.length === 0) {
      throw invalid(`needs a list of conditions for ${name}`);
    }
    return value.map((one) => node(one, depth + 1));
  };

  const field = (path: string, value: unknown): Filter => {
    const operand = reader.operand("where", path);
    const operators = isPlainObject(value) ? Object.entries(value) : [["eq", value] as const];
    if (operators.length === 0) throw invalid(`has no operator for ${quoted(path)}`);
    return and(...operators.map(([operator, wanted]) => {
      if (!isOperator(operator)) {
        throw new Problem("UNKNOWN_OPERATOR", {
          message: `"where" has the unknown operator ${quoted(operator)}: use ${
            ALL_OPERATORS.join(", ")
          }.${didYouMean(operator.replace(/^[$_]/, ""), ALL_OPERATORS)}`,
        });
      }
      reader.count(operator);
      return conditionFromJson(operand, operator, wanted);
    }));
  };

  return node(tree, 1);
}

function requireObject(value: unknown): Record<string, unknown> {
  if (!isPlainObject(value)) throw invalid('must be an object, such as {"status":"draft"}');
  return value;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
