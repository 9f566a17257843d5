import { DECLARED_NAME, isServerField, nameProblem } from "../../documents/names.ts";
import { type GivenField, SOURCE_ID } from "./foreign_project.ts";
import { type TypedFields, typeOf } from "./firestore_values.ts";

/** Number of examined field names, because some documents are maps with arbitrary keys. */
const NAMES_MAX = 1_000;
/** Number of declared fields, with room for the fields that Corbel adds. */
const DECLARED_MAX = 150;

export class FirestoreCollection {
  /** Path such as `posts/comments`. */
  readonly path: string;
  /** Types of each field's values; empty if all values are null. */
  readonly #types = new Map<string, Set<string>>();
  /** Whether documents have field names that were not examined. */
  hasMore = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Null at the top level. */
  get parent(): string | null {
    const at = this.path.lastIndexOf("/");
    return at === -1 ? null : this.path.slice(0, at);
  }

  add(fields: TypedFields, database: string): void {
    for (const [name, value] of Object.entries(fields)) {
      let types = this.#types.get(name);
      if (types === undefined) {
        if (this.#types.size === NAMES_MAX) {
          this.hasMore = true;
          continue;
        }
        types = new Set();
        this.#types.set(name, types);
      }
      const type = typeOf(value, database);
      if (type !== null) types.add(type);
    }
  }

  get names(): string[] {
    return [...this.#types.keys()];
  }

  /** Returns the fields that can be declared. @param refs Names of collections by their paths. */
  declared(refs: ReadonlyMap<string, string>): ReadonlyMap<string, GivenField> {
    const fields = new Map<string, GivenField>();
    for (const [name, types] of this.#types) {
      const type = commonType([...types], refs);
      if (type !== null && fields.size < DECLARED_MAX) fields.set(name, type);
    }
    return fields;
  }
}

/** Returns null if there are several types or none. */
function commonType(
  types: readonly string[],
  refs: ReadonlyMap<string, string>,
): GivenField | null {
  const plain = new Set(types.map((type) => withoutLostRef(type, refs)));
  if ([...plain].every((type) => type.startsWith("Array")) && plain.size > 0) {
    plain.delete("Array");
    const [item, ...more] = plain;
    if (item === undefined || more.length > 0 || item === "Array of any") return { type: "Array" };
    return { type: "Array", items: scalarOf(item.slice("Array of ".length), refs) };
  }
  const [type, ...more] = plain;
  return type === undefined || more.length > 0 ? null : scalarOf(type, refs);
}

const REF = /Ref (.+)$/s;

/** A reference to a missing collection becomes a text with the path. */
function withoutLostRef(type: string, refs: ReadonlyMap<string, string>): string {
  const [, path] = REF.exec(type) ?? [];
  return path === undefined || refs.has(path) ? type : type.replace(REF, "String");
}

function scalarOf(type: string, refs: ReadonlyMap<string, string>): GivenField {
  const [, path] = REF.exec(type) ?? [];
  return path === undefined ? { type } : { type: "Ref", ref: refs.get(path)! };
}

/** Whether a field can keep its name, declared or not. */
export const isKeptName = (name: string): boolean =>
  nameProblem(name) === null && !isServerField(name) && name !== SOURCE_ID;

export const isDeclarable = (name: string): boolean => DECLARED_NAME.test(name) && isKeptName(name);
