import { DOCUMENT_DEPTH_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { FIELD_TYPES } from "../store/field_types.ts";
import { isObject, own, readValue } from "../store/shape.ts";
import type { FieldDefinition, ItemDefinition } from "./fields.ts";
import { nameProblem } from "./names.ts";
import { textProblem } from "../text/input_text.ts";
import { meantAside } from "../text/nearest.ts";

export interface Validated<T = Json> {
  /** The value as it is stored: dates in UTC, ids in lower case. */
  readonly value: T;
  readonly faults: readonly FieldFault[];
}

export interface ValidationOptions {
  /** Whether undeclared members of declared objects are refused. */
  readonly strict: boolean;
  /** Level of the value in its document; the document itself is level 1. */
  readonly depth: number;
  /** Where the value lies, for messages. */
  readonly path?: string;
}

/** Faults that are told of one document. */
export const FAULTS_MAX = 10;

/** Up to so many fields a search is as quick as a map. */
const SEARCHED_MAX = 8;

/** Fits a value into a declared field, or where nothing is declared. Null fits everywhere. */
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

/** Fits the members of a document, or of a change to one. Missing fields are not its concern. */
export function validateMembers(
  fields: readonly FieldDefinition[],
  members: { readonly [name: string]: Json },
  strict: boolean,
): Validated<{ [name: string]: Json }> {
  return validate(strict, (validation) => validation.members(fields, members, "", 1));
}

/** Paths are made only where there is a fault to tell: there may be one for each value. */
function validate<T>(strict: boolean, walk: (validation: Validation) => T): Validated<T> {
  const quick = new Validation(strict, false);
  const value = walk(quick);
  if (quick.faults.length === 0) return { value, faults: [] };
  const telling = new Validation(strict, true);
  return { value: walk(telling), faults: telling.faults };
}

/** One walk over a value: copies it in its stored form and collects what is wrong. */
class Validation {
  readonly faults: FieldFault[] = [];
  readonly #strict: boolean;
  /** Of long lists of fields: a search for each member of a document would add up. */
  readonly #byName = new Map<readonly FieldDefinition[], ReadonlyMap<string, FieldDefinition>>();

  readonly #tellsPaths: boolean;

  constructor(strict: boolean, tellsPaths: boolean) {
    this.#strict = strict;
    this.#tellsPaths = tellsPaths;
  }

  #within(path: string, name: string | number): string {
    if (!this.#tellsPaths) return "";
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
    if (fields.length <= SEARCHED_MAX) return fields.find(({ key }) => key === name);
    let byName = this.#byName.get(fields);
    if (byName === undefined) {
      byName = new Map(fields.map((field) => [field.key, field]));
      this.#byName.set(fields, byName);
    }
    return byName.get(name);
  }

  declared(field: ItemDefinition, value: Json, path: string, depth: number): Json {
    if (value === null) return null;
    const { holds, wanted } = FIELD_TYPES[field.type];
    if (holds === "members" && isObject(value)) return this.#object(field, value, path, depth);
    if (holds === "elements" && Array.isArray(value)) {
      return this.#elements(field.items, value, path, depth);
    }
    const read = readValue(field.type, value);
    if (read === null) this.#fault(path, `must be ${wanted}`);
    else if (field.enum === undefined) return this.undeclared(read, path, depth);
    else if (!field.enum.includes(read as string)) { // Only a text can have such a list.
      this.#fault(path, `must be one of ${valuesText(field.enum)}`);
    }
    return read;
  }

  /** A declared object, written whole. */
  #object(
    { fields }: ItemDefinition,
    members: { readonly [name: string]: Json },
    at: string,
    depth: number,
  ): Json {
    for (const { key, required } of fields ?? []) {
      const path = this.#within(at, key);
      if (required && (own(members, key) ?? null) === null) this.#fault(path, "is required");
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
    // JSON has no infinity, but numbers too large for a double read as one.
    if (value === Infinity || value === -Infinity) {
      this.#fault(path, "is a number too large to be stored");
    }
    return value;
  }

  #undeclared(path: string, name: string, fields: readonly FieldDefinition[]): void {
    const isTold = this.#tellsPaths && this.faults.length < FAULTS_MAX;
    const meant = isTold ? meantAside(name, fields.map(({ key }) => key)) : "";
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

/** Of a long list the first are told, and how many there are. */
const TOLD_MAX = 10;

function valuesText(values: readonly string[]): string {
  const told = values.slice(0, TOLD_MAX).map((value) => JSON.stringify(value)).join(", ");
  return values.length <= TOLD_MAX ? told : `${told}, … (${values.length} values)`;
}
