import { DECLARED_NAME, isServerField, nameProblem } from "../../documents/names.ts";
import { type GivenField, SOURCE_ID } from "./foreign_project.ts";
import { type TypedFields, typeOf } from "./firestore_values.ts";

/** Names of fields that are looked at: maps of many keys are kept as documents, too. */
const NAMES_MAX = 1_000;
/** Fields that are declared, with room for those that are added. */
const DECLARED_MAX = 150;

/** What the documents of one collection hold. */
export class FirestoreCollection {
  /** `posts/comments` for those below posts. */
  readonly path: string;
  /** Types that a field was seen with; nothing where it was always null. */
  readonly #types = new Map<string, Set<string>>();
  /** Documents have names that were not looked at. */
  hasMore = false;

  constructor(path: string) {
    this.path = path;
  }

  /** The path of the collection whose documents these lie below; null at the top. */
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

  /**
   * Fields that can be declared, by name. @param refs Names of collections here, by their paths.
   */
  declared(refs: ReadonlyMap<string, string>): ReadonlyMap<string, GivenField> {
    const fields = new Map<string, GivenField>();
    for (const [name, types] of this.#types) {
      const type = oneType([...types], refs);
      if (type !== null && fields.size < DECLARED_MAX) fields.set(name, type);
    }
    return fields;
  }
}

/** The type of all; null where there are several, or none. */
function oneType(types: readonly string[], refs: ReadonlyMap<string, string>): GivenField | null {
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

/** References to what is not in the export stay paths. */
function withoutLostRef(type: string, refs: ReadonlyMap<string, string>): string {
  const [, path] = REF.exec(type) ?? [];
  return path === undefined || refs.has(path) ? type : type.replace(REF, "String");
}

function scalarOf(type: string, refs: ReadonlyMap<string, string>): GivenField {
  const [, path] = REF.exec(type) ?? [];
  return path === undefined ? { type } : { type: "Ref", ref: refs.get(path)! };
}

/** Whether a name can be kept, be it declared or not. */
export const isKeptName = (name: string): boolean =>
  nameProblem(name) === null && !isServerField(name) && name !== SOURCE_ID;

/** Whether a kept name can be declared, too. */
export const isDeclarable = (name: string): boolean => DECLARED_NAME.test(name) && isKeptName(name);
