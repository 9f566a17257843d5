export type Type = "String" | "Number" | "Boolean" | "Date" | "Object" | "Array" | "Ref";

export interface Item {
  readonly type: Type;
  readonly ref?: string;
  readonly items?: Item;
  readonly fields?: readonly Field[];
}

export interface Field extends Item {
  readonly key: string;
  readonly index?: boolean;
  readonly unique?: boolean;
}

export interface Definition {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly rls: {
    readonly enabled: boolean;
    readonly mode: "public-read" | "private";
    readonly ownerField: string;
  };
  readonly strict: boolean;
  readonly indexes?: readonly { readonly fields: readonly string[] }[];
}

/** Fields that count as declared in every collection, including strict ones. */
const SERVER: readonly Field[] = [
  { key: "_id", type: "String" },
  { key: "createdAt", type: "Date" },
  { key: "updatedAt", type: "Date" },
  { key: "deletedAt", type: "Date" },
  { key: "isDeleted", type: "Boolean" },
];

/** Returns the declared type of a path through members of objects; null if there is none. */
export function typeAt(definition: Definition, path: string): Item | null {
  let fields: readonly Field[] | undefined = allFields(definition);
  let found: Item | null = null;
  for (const name of path.split(".")) {
    found = fields?.find(({ key }) => key === name) ?? null;
    fields = found?.fields;
  }
  return found;
}

/** Returns the declared fields, with the owner field as text unless it is declared. */
function allFields({ fields, rls }: Definition): readonly Field[] {
  const owner: Field = { key: rls.ownerField, type: "String" };
  const added = rls.enabled && !fields.some(({ key }) => key === rls.ownerField) ? [owner] : [];
  return [...fields, ...added, ...SERVER];
}

/** Returns whether a path is declared. Every name is in an Object without members. */
export function isDeclared(definition: Definition, path: string): boolean {
  if (typeAt(definition, path) !== null) return true;
  const names = path.split(".");
  return names.some((_, i) => {
    const outer = i === 0 ? null : typeAt(definition, names.slice(0, i).join("."));
    return outer?.type === "Object" && outer.fields === undefined;
  });
}
