import type { FieldType, Json } from "../store/port.ts";

/** What can become of a file that its document holds no more; the first is the default. */
export const FILE_FATES = ["keep", "remove"] as const;

/** A field without its name: what the elements of an array are. */
export interface ItemDefinition {
  readonly type: FieldType;
  readonly ref?: string;
  /** Of a String: the only values that it can have. */
  readonly enum?: readonly string[];
  readonly items?: ItemDefinition;
  readonly fields?: readonly FieldDefinition[];
}

export interface FieldDefinition extends ItemDefinition {
  readonly key: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  /** Whether its words can be searched. */
  readonly search: boolean;
  /** Fills a missing field; not null. */
  readonly default?: Json;
  /** Whether it holds paths of the project's files. */
  readonly file?: boolean;
  /**
   * The field whose values it takes over. Only in a definition that is given from outside: what is
   * stored and shown has none.
   */
  readonly renamedFrom?: string;
  /** What becomes of a file that a document holds no more. */
  readonly onDelete?: (typeof FILE_FATES)[number];
}

/** What a path names, by its parts; null where nothing is declared there. */
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

/** An index of several fields. */
export interface IndexDefinition {
  /** Paths; a `-` in front of one has it descend. */
  readonly fields: readonly string[];
  readonly unique: boolean;
}

/** A definition that takes the place of a stored one. */
export interface ReplacingDefinition extends Omit<CollectionDefinition, "strict"> {
  /** Null keeps what is stored. */
  readonly strict: boolean | null;
}

/** The whole of it, in the place of this one. */
export const definitionReplacing = (
  { strict: was }: CollectionDefinition,
  { strict, ...others }: ReplacingDefinition,
): CollectionDefinition => ({ ...others, strict: strict ?? was });

/** A collection as its owner defines it, with every default filled in. */
export interface CollectionDefinition {
  readonly name: string;
  readonly fields: readonly FieldDefinition[];
  readonly rls: RlsSetting;
  /** Whether undeclared fields are refused. */
  readonly strict: boolean;
  readonly indexes: readonly IndexDefinition[];
  /** Whether changes of its documents are recorded: without that nobody is told of them. */
  readonly events: boolean;
}
