import { PATTERNS_MAX, WHERE_CONDITIONS_MAX } from "../limits.ts";
import type { QueryWarning } from "../http/respond.ts";
import { Problem } from "../problems.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { shown } from "../text/input_text.ts";
import type { FieldShape } from "../store/port.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { pathProblem } from "./names.ts";
import { type Operand, type Operator, PATTERN_OPERATORS, SUFFIXES } from "./operands.ts";
import { LIST_PARAMETERS, parameterCalled } from "./reserved_parameters.ts";

/** For so many names of a query the one that was meant is looked for: that takes longer than all else. */
export const HINTS_MAX = 10;

const TREE_OPERATORS: readonly string[] = ["$and", "$or", "$not", "$nor"];

const refuse = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${shown(name)} ${why}.` });

/**
 * Takes the conditions of a query one by one, before anything is made of them. Refuses what is too
 * much, because a pattern alone may take a millisecond, and warns of what nobody declared.
 */
export class ConditionReader {
  readonly collection: Collection;
  readonly #whole: string;
  readonly #warnings = new Map<string, QueryWarning>();
  #conditions = 0;
  #patterns = 0;

  /** @param whole What messages call all conditions together. */
  constructor(collection: Collection, whole = "The query") {
    this.collection = collection;
    this.#whole = whole;
  }

  /** One for each parameter and field. */
  get warnings(): readonly QueryWarning[] {
    return [...this.#warnings.values()];
  }

  /** Throws `INVALID_QUERY`. */
  count(operator: Operator, times = 1): void {
    this.#conditions += times;
    if (PATTERN_OPERATORS.includes(operator)) this.#patterns += times;
    if (this.#conditions > WHERE_CONDITIONS_MAX) {
      this.#refuseMore(`${WHERE_CONDITIONS_MAX} conditions`);
    }
    if (this.#patterns > PATTERNS_MAX) this.#refuseMore(`${PATTERNS_MAX} patterns`);
  }

  #refuseMore(most: string): never {
    throw new Problem("INVALID_QUERY", { message: `${this.#whole} has more than ${most}.` });
  }

  /**
   * What a condition is about. Refuses a path that no document can have, and one that a strict
   * collection does not declare. Throws `INVALID_QUERY`.
   */
  operand(parameter: string, path: string): Operand {
    return { parameter, path, shape: this.#shapeOf(parameter, path) };
  }

  /** Null where anything may be stored. */
  #shapeOf(parameter: string, path: string): FieldShape | null {
    if (TREE_OPERATORS.includes(path)) throw refuse(parameter, withoutDollar(parameter, path));
    const problem = pathProblem(path);
    if (problem !== null) throw refuse(parameter, `cannot be a filter: ${problem}`);
    if (/[[\]]/.test(path)) throw refuse(parameter, withoutBrackets(path));
    const declared = declaredAt(this.collection, path);
    if (declared.kind === "declared") return declared.shape;
    if (declared.kind === "undeclared") this.#undeclared(parameter, path);
    return null;
  }

  #undeclared(parameter: string, path: string): void {
    const key = `${parameter}\n${path}`;
    if (this.#warnings.has(key)) return;
    const hint = this.#warnings.size < HINTS_MAX ? this.#hint(parameter, path) : "";
    if (this.collection.definition.strict) {
      const why = parameter === path
        ? "names a field that this strict collection does not declare"
        : `names ${shown(path)}, which this strict collection does not declare`;
      throw new Problem("INVALID_QUERY", { message: `${shown(parameter)} ${why}.${hint}` });
    }
    const message = `The collection does not declare ${shown(path)}.${hint}`;
    this.#warnings.set(key, { parameter, message });
  }

  /** A parameter that is no field may have been meant for one of those that lists have. */
  #hint(parameter: string, path: string): string {
    if (LIST_PARAMETERS.includes(path)) {
      return ` Write ${path}=… as a parameter of its own to set the list's ${path}.`;
    }
    const paths = declaredPaths(this.collection);
    if (parameter !== path) return didYouMean(path, paths);
    const called = nearest(path, paths) === null ? parameterCalled(path) : null;
    return called === null
      ? didYouMean(path, [...paths, ...LIST_PARAMETERS])
      : ` Did you mean ${shown(called)}?`;
  }
}

/** Of `views[$gt]=5`, as other APIs have conditions. */
function withoutBrackets(path: string): string {
  const [, field, operator = ""] = /^([^[\]]+)\[\$?(\w+)\]$/.exec(path) ?? [];
  const isKnown = SUFFIXES.includes(operator.toLowerCase());
  const written = isKnown ? `${field}_${operator.toLowerCase()}=…` : "field_gt=5";
  return `cannot be a filter: write ${written}, or use where`;
}

function withoutDollar(parameter: string, operator: string): string {
  const name = operator.slice(1);
  if (name === "nor") return 'cannot have "$nor": write "not" around an "or"';
  return parameter === "where"
    ? `has the unknown operator ${shown(operator)}: write ${shown(name)}, without the dollar sign`
    : `cannot be a filter: write where={"${name}": …}`;
}
