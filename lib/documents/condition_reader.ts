import { PATTERNS_MAX, WHERE_CONDITIONS_MAX } from "../limits.ts";
import type { QueryWarning } from "../http/respond.ts";
import { Problem } from "../problems.ts";
import { didYouMean, nearestWord } from "../text/nearest.ts";
import { quoted } from "../text/input_text.ts";
import type { FieldShape } from "../store/port.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { pathProblem } from "./names.ts";
import { type Operand, type Operator, PATTERN_OPERATORS, SUFFIXES } from "./operands.ts";
import { LIST_PARAMETERS, parameterForAlias } from "./reserved_parameters.ts";

/** Maximum number of suggestions per query, because finding one is expensive. */
export const HINTS_MAX = 10;

const TREE_OPERATORS: readonly string[] = ["$and", "$or", "$not", "$nor"];

const invalid = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${quoted(name)} ${why}.` });

/** Checks and counts the conditions of a query, and collects warnings about undeclared fields. */
export class ConditionReader {
  readonly collection: Collection;
  readonly #subject: string;
  readonly #warnings = new Map<string, QueryWarning>();
  #conditions = 0;
  #patterns = 0;

  /** @param subject Name of the query in messages. */
  constructor(collection: Collection, subject = "The query") {
    this.collection = collection;
    this.#subject = subject;
  }

  /** Warnings, at most one for each pair of a parameter and a field. */
  get warnings(): readonly QueryWarning[] {
    return [...this.#warnings.values()];
  }

  /** Throws `INVALID_QUERY` if there are too many. A pattern alone may take a millisecond. */
  count(operator: Operator, times = 1): void {
    this.#conditions += times;
    if (PATTERN_OPERATORS.includes(operator)) this.#patterns += times;
    if (this.#conditions > WHERE_CONDITIONS_MAX) {
      this.#rejectExcess(`${WHERE_CONDITIONS_MAX} conditions`);
    }
    if (this.#patterns > PATTERNS_MAX) this.#rejectExcess(`${PATTERNS_MAX} patterns`);
  }

  #rejectExcess(limit: string): never {
    throw new Problem("INVALID_QUERY", { message: `${this.#subject} has more than ${limit}.` });
  }

  /** Throws `INVALID_QUERY` if documents cannot have the path. */
  operand(parameter: string, path: string): Operand {
    return { parameter, path, shape: this.#shapeOf(parameter, path) };
  }

  /** Returns null if the path may hold values of any type. */
  #shapeOf(parameter: string, path: string): FieldShape | null {
    if (TREE_OPERATORS.includes(path)) throw invalid(parameter, dollarMessage(parameter, path));
    const problem = pathProblem(path);
    if (problem !== null) throw invalid(parameter, `cannot be a filter: ${problem}`);
    if (/[[\]]/.test(path)) throw invalid(parameter, bracketsMessage(path));
    const declared = declaredAt(this.collection, path);
    if (declared.kind === "declared") return declared.shape;
    if (declared.kind === "undeclared") this.#warnOfUndeclared(parameter, path);
    return null;
  }

  #warnOfUndeclared(parameter: string, path: string): void {
    const key = `${parameter}\n${path}`;
    if (this.#warnings.has(key)) return;
    const hint = this.#warnings.size < HINTS_MAX ? this.#hint(parameter, path) : "";
    if (this.collection.definition.strict) {
      const why = parameter === path
        ? "names a field that this strict collection does not declare"
        : `names ${quoted(path)}, which this strict collection does not declare`;
      throw new Problem("INVALID_QUERY", { message: `${quoted(parameter)} ${why}.${hint}` });
    }
    const message = `The collection does not declare ${quoted(path)}.${hint}`;
    this.#warnings.set(key, { parameter, message });
  }

  /** Suggests a field or, because the name may be a mistyped parameter, a parameter of lists. */
  #hint(parameter: string, path: string): string {
    if (LIST_PARAMETERS.includes(path)) {
      return ` Write ${path}=… as a parameter of its own to set the list's ${path}.`;
    }
    const paths = declaredPaths(this.collection);
    if (parameter !== path) return didYouMean(path, paths);
    const called = nearestWord(path, paths) === null ? parameterForAlias(path) : null;
    return called === null
      ? didYouMean(path, [...paths, ...LIST_PARAMETERS])
      : ` Did you mean ${quoted(called)}?`;
  }
}

/** Explains how to write a condition in another API's syntax, such as `views[$gt]=5`. */
function bracketsMessage(path: string): string {
  const [, field, operator = ""] = /^([^[\]]+)\[\$?(\w+)\]$/.exec(path) ?? [];
  const isKnown = SUFFIXES.includes(operator.toLowerCase());
  const written = isKnown ? `${field}_${operator.toLowerCase()}=…` : "field_gt=5";
  return `cannot be a filter: write ${written}, or use where`;
}

function dollarMessage(parameter: string, operator: string): string {
  const name = operator.slice(1);
  if (name === "nor") return 'cannot have "$nor": write "not" around an "or"';
  return parameter === "where"
    ? `has the unknown operator ${quoted(operator)}: write ${quoted(name)}, without the dollar sign`
    : `cannot be a filter: write where={"${name}": …}`;
}
