import type { FieldType, Json } from "../store/port.ts";

/** Values of `onDelete`; the first is the default. */
export const FILE_FATES = ["keep", "remove"] as const;

/** A field without its name, such as the elements of an array. */
export interface ItemDefinition {
  readonly type: FieldType;
  readonly ref?: string;
  readonly enum?: readonly string[];
  readonly items?: ItemDefinition;
  readonly fields?: readonly FieldDefinition[];
}

export interface FieldDefinition extends ItemDefinition {
  readonly key: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  readonly search: boolean;
  /** Value of a missing field; not null. */
  readonly default?: Json;
  readonly file?: boolean;
  /** Previous name of a renamed field. Sent by clients, never stored. */
  readonly renamedFrom?: string;
  /** Fate of a file to which no document refers any more. */
  readonly onDelete?: (typeof FILE_FATES)[number];
}

/** Returns the field at a path, given by its parts, or null if the path is not declared. */
export function fieldAt(
  fields: readonly FieldDefinition[],
  [first, ...rest]: readonly string[],
): FieldDefinition | null {
  const field = fields.find(({ key }) => key === first);
  if (field === undefined) return null;
  return rest.length === 0 ? field : fieldAt(field.fields ?? [], rest);
}

export interface RlsSetting {
  readonly enabled: boolean;
  readonly mode: "public-read" | "private";
  readonly ownerField: string;
}

export interface IndexDefinition {
  /** Paths; a leading `-` means descending. */
  readonly fields: readonly string[];
  readonly unique: boolean;
}

export interface ReplacingDefinition extends Omit<CollectionDefinition, "strict"> {
  /** Null keeps the stored value. */
  readonly strict: boolean | null;
}

export const completeReplacement = (
  { strict: was }: CollectionDefinition,
  { strict, ...others }: ReplacingDefinition,
): CollectionDefinition => ({ ...others, strict: strict ?? was });

/** Includes all defaults. */
export interface CollectionDefinition {
  readonly name: string;
  readonly fields: readonly FieldDefinition[];
  readonly rls: RlsSetting;
  /** Whether undeclared fields are rejected. */
  readonly strict: boolean;
  readonly indexes: readonly IndexDefinition[];
  /** Whether changes of documents are recorded, which live lists and webhooks need. */
  readonly events: boolean;
}
