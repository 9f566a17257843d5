import { DOCUMENT_DEPTH_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { FIELD_TYPES } from "../store/field_types.ts";
import { isObject, ownMember, readValue } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";
import { nameProblem } from "./names.ts";
import { textProblem } from "../text/input_text.ts";
import { didYouMeanAside } from "../text/nearest.ts";

export interface Validated<T = Json> {
  /** The value as it is stored: dates in UTC, ids in lower case. */
  readonly value: T;
  readonly faults: readonly FieldFault[];
}

export interface ValidationOptions {
  /** Whether undeclared members of declared objects are rejected. */
  readonly strict: boolean;
  /** Level of the value in its document; the document itself is level 1. */
  readonly depth: number;
  /** Path of the value, for messages. */
  readonly path?: string;
}

/** Maximum number of reported faults of a document. */
export const FAULTS_MAX = 10;

/** Number of fields up to which a linear search is as fast as a map. */
const LINEAR_SEARCH_FIELDS_MAX = 8;

/** Null is always valid. @param field Null if the field is not declared. */
export function validateValue(
  field: ItemDefinition | null,
  value: Json,
  { strict, depth, path = "" }: ValidationOptions,
): Validated {
  return validate(
    strict,
    (validation) =>
      field === null
        ? validation.undeclared(value, path, depth)
        : validation.declared(field, value, path, depth),
  );
}

/** Does not check for missing fields. */
export function validateMembers(
  fields: readonly FieldDefinition[],
  members: { readonly [name: string]: Json },
  strict: boolean,
): Validated<{ [name: string]: Json }> {
  return validate(strict, (validation) => validation.members(fields, members, "", 1));
}

/** Validates without building paths first, and again with paths only if there are faults. */
function validate<T>(strict: boolean, walk: (validation: Validation) => T): Validated<T> {
  const quick = new Validation(strict, false);
  const value = walk(quick);
  if (quick.faults.length === 0) return { value, faults: [] };
  const withPaths = new Validation(strict, true);
  return { value: walk(withPaths), faults: withPaths.faults };
}

/** Copies a value in its stored form and collects faults. */
class Validation {
  readonly faults: FieldFault[] = [];
  readonly #strict: boolean;
  /** Fields by name, for long lists of fields. */
  readonly #byName = new Map<readonly FieldDefinition[], ReadonlyMap<string, FieldDefinition>>();

  readonly #reportsPaths: boolean;

  constructor(strict: boolean, reportsPaths: boolean) {
    this.#strict = strict;
    this.#reportsPaths = reportsPaths;
  }

  #within(path: string, name: string | number): string {
    if (!this.#reportsPaths) return "";
    return path === "" ? `${name}` : `${path}.${name}`;
  }

  members(
    fields: readonly FieldDefinition[] | undefined,
    members: { readonly [name: string]: Json },
    at: string,
    depth: number,
  ): { [name: string]: Json } {
    const validated: { [name: string]: Json } = {};
    if (this.#tooDeep(at, depth)) return validated;
    for (const [name, value] of Object.entries(members)) {
      const path = this.#within(at, name);
      const problem = nameProblem(name);
      if (problem !== null) {
        this.#fault(at, `cannot be stored: ${problem}`);
        continue;
      }
      const field = fields && this.#fieldNamed(fields, name);
      if (field !== undefined) validated[name] = this.declared(field, value, path, depth + 1);
      else if (fields !== undefined && this.#strict) this.#undeclared(path, name, fields);
      else validated[name] = this.undeclared(value, path, depth + 1);
    }
    return validated;
  }

  #fieldNamed(fields: readonly FieldDefinition[], name: string): FieldDefinition | undefined {
    if (fields.length <= LINEAR_SEARCH_FIELDS_MAX) return fields.find(({ key }) => key === name);
    let byName = this.#byName.get(fields);
    if (byName === undefined) {
      byName = new Map(fields.map((field) => [field.key, field]));
      this.#byName.set(fields, byName);
    }
    return byName.get(name);
  }

  declared(field: ItemDefinition, value: Json, path: string, depth: number): Json {
    if (value === null) return null;
    const { holds, requirement: wanted } = FIELD_TYPES[field.type];
    if (holds === "members" && isObject(value)) return this.#object(field, value, path, depth);
    if (holds === "elements" && Array.isArray(value)) {
      return this.#elements(field.items, value, path, depth);
    }
    const read = readValue(field.type, value);
    if (read === null) this.#fault(path, `must be ${wanted}`);
    else if (field.enum === undefined) return this.undeclared(read, path, depth);
    else if (!field.enum.includes(read as string)) { // Only Strings can have `enum`.
      this.#fault(path, `must be one of ${valuesText(field.enum)}`);
    }
    return read;
  }

  /** Validates a complete object, including its required members. */
  #object(
    { fields }: ItemDefinition,
    members: { readonly [name: string]: Json },
    at: string,
    depth: number,
  ): Json {
    for (const { key, required } of fields ?? []) {
      const path = this.#within(at, key);
      if (required && (ownMember(members, key) ?? null) === null) this.#fault(path, "is required");
    }
    return this.members(fields, members, at, depth);
  }

  #elements(item: ItemDefinition | undefined, value: Json[], path: string, depth: number): Json {
    if (this.#tooDeep(path, depth)) return [];
    return value.map((element, i) =>
      item === undefined
        ? this.undeclared(element, this.#within(path, i), depth + 1)
        : this.declared(item, element, this.#within(path, i), depth + 1)
    );
  }

  undeclared(value: Json, path: string, depth: number): Json {
    if (Array.isArray(value)) return this.#elements(undefined, value, path, depth);
    if (isObject(value)) return this.members(undefined, value, path, depth);
    const problem = typeof value === "string" ? textProblem(value) : null;
    if (problem !== null) this.#fault(path, problem);
    // JSON numbers that are too large for a double are parsed as infinity.
    if (value === Infinity || value === -Infinity) {
      this.#fault(path, "is a number too large to be stored");
    }
    return value;
  }

  #undeclared(path: string, name: string, fields: readonly FieldDefinition[]): void {
    const isReported = this.#reportsPaths && this.faults.length < FAULTS_MAX;
    const meant = isReported ? didYouMeanAside(name, fields.map(({ key }) => key)) : "";
    this.#fault(path, `is not declared${meant}`);
  }

  #tooDeep(path: string, depth: number): boolean {
    if (depth <= DOCUMENT_DEPTH_MAX) return false;
    this.#fault(path, `is nested deeper than ${DOCUMENT_DEPTH_MAX} levels`);
    return true;
  }

  #fault(path: string, message: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ path, message });
  }
}

const LISTED_MAX = 10;

function valuesText(values: readonly string[]): string {
  const listed = values.slice(0, LISTED_MAX).map((value) => JSON.stringify(value)).join(", ");
  return values.length <= LISTED_MAX ? listed : `${listed}, … (${values.length} values)`;
}
