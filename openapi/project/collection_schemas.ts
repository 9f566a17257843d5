import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPES, type ScalarType } from "@/lib/store/field_types.ts";
import { isScalarType, scalarTypesWith, typesChangedBy } from "@/lib/store/shape.ts";
import { referencesIn } from "@/lib/documents/definition.ts";
import {
  type FieldContext,
  fieldSchema,
  propertiesOf,
  requiredOf,
  SCALARS,
  valueSchema,
} from "./field_schemas.ts";
import { whereSchema } from "./filters.ts";
import { anyOf, type Components, type JsonSchema, objectOf, orNull, refTo } from "./json_schema.ts";
import { SUFFIXES, type TypeName } from "./names.ts";

export interface CollectionInContext {
  readonly definition: CollectionDefinition;
  readonly name: TypeName;
  /** Fields that refer to the collection, as in `populate=comments(postId)`. */
  readonly referrers: readonly Referrer[];
  /** Whether documents are sent by a signed-in user, who becomes their owner. */
  readonly ownsWhatItCreates: boolean;
  /** Returns the schema that `populate` replaces an id of a collection with; null for none. */
  readonly targetOf: (collection: string) => JsonSchema | null;
}

export interface Referrer {
  readonly collection: string;
  readonly field: string;
}

/** Returns the fields that refer to each collection, by the name of that collection. */
export function referrersByTarget(
  definitions: readonly CollectionDefinition[],
): ReadonlyMap<string, readonly Referrer[]> {
  const byTarget = new Map<string, Referrer[]>();
  for (const { name, fields } of definitions) {
    for (const { key, ref } of fields) {
      if (ref === undefined) continue;
      const referrer = { collection: name, field: key };
      const known = byTarget.get(ref);
      if (known === undefined) byTarget.set(ref, [referrer]);
      else known.push(referrer);
    }
  }
  return byTarget;
}

const holdsFile = ({ file = false, fields = [] }: FieldDefinition): boolean =>
  file || fields.some(holdsFile);

export const canPopulate = (
  { definition: { fields }, referrers }: Pick<CollectionInContext, "definition" | "referrers">,
): boolean => referrers.length > 0 || referencesIn(fields).length > 0 || fields.some(holdsFile);

/** Returns the schema name of documents in lists and single reads. */
export const shownName = (collection: CollectionInContext): string =>
  collection.name.type + (canPopulate(collection) ? SUFFIXES.shown : SUFFIXES.document);

const SERVER_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  _id: FIELD_TYPES.Ref.schema,
  createdAt: FIELD_TYPES.Date.schema,
  updatedAt: FIELD_TYPES.Date.schema,
  isDeleted: FIELD_TYPES.Boolean.schema,
  deletedAt: orNull(FIELD_TYPES.Date.schema),
};

/** Members that the server sets. They may be sent back and are ignored. */
const IGNORED_MEMBERS = Object.fromEntries(
  Object.entries(SERVER_MEMBERS).map(([name, schema]) => [name, {
    ...schema,
    description: name === "_id" ? "The document's own id, or left out." : "Ignored.",
  }]),
);

export function collectionSchemas(collection: CollectionInContext): Components {
  const { definition, name: { type }, targetOf } = collection;
  const { name, strict } = definition;
  const context = { strict, targetOf };
  const shown = documentSchema(collection, { ...context, form: "shown" });
  return {
    [type + SUFFIXES.document]: {
      ...documentSchema(collection, { ...context, form: "stored" }),
      description: `A document of \`${name}\` as it is stored.` + UNDECLARED_NOTE,
      example: documentExample(definition),
    },
    ...(canPopulate(collection) && {
      [type + SUFFIXES.shown]: {
        ...shown,
        description: `A document of \`${name}\`. \`populate\` replaces ids with documents, and ` +
          `paths with files.${UNDECLARED_NOTE}`,
        example: documentExample(definition),
      },
    }),
    [type + SUFFIXES.create]: {
      ...sentSchema(collection, {}),
      description: `A new document of \`${name}\`.${ownerNote(collection)}`,
      example: sentExample(definition),
    },
    [type + SUFFIXES.replace]: {
      ...sentSchema(collection, IGNORED_MEMBERS),
      description: `A replacement of a document of \`${name}\`. Without the owner field, the ` +
        "owner stays.",
      example: sentExample(definition),
    },
    [type + SUFFIXES.patch]: patchSchema(collection),
    [type + SUFFIXES.where]: whereSchema(definition, type + SUFFIXES.where),
  };
}

const UNDECLARED_NOTE = " It may have undeclared members.";

const ownerNote = ({ definition: { rls }, ownsWhatItCreates }: CollectionInContext): string =>
  rls.enabled && ownsWhatItCreates
    ? ` Its owner, in \`${rls.ownerField}\`, is the signed-in user.`
    : "";

function documentSchema(
  { definition: { fields }, referrers, targetOf }: CollectionInContext,
  context: FieldContext,
): JsonSchema {
  const populated = context.form === "shown" ? referrers : [];
  return objectOf({
    _id: SERVER_MEMBERS._id!,
    ...Object.fromEntries(populated.map(({ collection, field }) => [collection, {
      type: "array",
      items: targetOf(collection)!,
      description: `With \`populate=${collection}(${field})\`.`,
    }])),
    ...propertiesOf(fields, context),
    ...SERVER_MEMBERS,
  }, { required: [...Object.keys(SERVER_MEMBERS), ...requiredOf(fields, context.form)] });
}

/** @param ignoredMembers Schemas of members that may be sent and are ignored. */
function sentSchema(
  { definition: { fields, rls, strict }, ownsWhatItCreates, targetOf }: CollectionInContext,
  ignoredMembers: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const context = { form: "sent", strict, targetOf } as const;
  const isFilledIn = (key: string) =>
    rls.enabled && key === rls.ownerField &&
    (ownsWhatItCreates || ignoredMembers === IGNORED_MEMBERS);
  return objectOf({ ...ignoredMembers, ...propertiesOf(fields, context) }, {
    required: requiredOf(fields, "sent").filter((key) => !isFilledIn(key)),
    isClosed: strict,
  });
}

/** Has no type, because some generators compare a typed constant with a text. */
const TRUE: JsonSchema = { const: true };

const TYPES_WITH_OPERATORS = scalarTypesWith(({ changes }) => changes !== undefined);

function operatorsSchema(type: ScalarType): JsonSchema {
  const { schema, changes } = FIELD_TYPES[type];
  const { operators, description } = changes!; // The type has operators.
  const each = operators.map((name) => operatorObject({ [name]: name === "$now" ? TRUE : schema }));
  return { ...anyOf(...each), description };
}

/** Schemas of the update operators, which all fields of a type share. */
export const OPERATORS: Components = {
  UnsetOperator: operatorObject({ $unset: TRUE }, "Removes the member."),
  ...Object.fromEntries(
    TYPES_WITH_OPERATORS.map((type) => [`${type}Operator`, operatorsSchema(type)]),
  ),
};

const operatorRefs = (type: ScalarType): JsonSchema[] =>
  TYPES_WITH_OPERATORS.includes(type) ? [refTo(`${type}Operator`)] : [];

/** Schemas of changes to scalar fields, by name: `NumberChange`, `OptionalNumberChange`. */
export const CHANGES: Components = Object.fromEntries(
  SCALARS.flatMap((type) => {
    const { schema } = FIELD_TYPES[type];
    const unset = refTo("UnsetOperator");
    return [
      [`${type}Change`, anyOf(schema, ...operatorRefs(type))],
      [`Optional${type}Change`, anyOf(orNull(schema), ...operatorRefs(type), unset)],
    ];
  }),
);

function operatorObject(
  members: Readonly<Record<string, JsonSchema>>,
  description?: string,
): JsonSchema {
  return objectOf(members, {
    required: Object.keys(members),
    isClosed: true,
    ...(description !== undefined && { description }),
  });
}

function patchSchema(
  { definition, targetOf }: CollectionInContext,
): JsonSchema {
  const { name, fields, strict } = definition;
  const context = { form: "sent", strict, targetOf } as const;
  const openPaths = fields.flatMap((field) => openPathsIn(field, ""));
  return {
    ...objectOf({ ...IGNORED_MEMBERS, ...Object.fromEntries(changesOf(fields, context, "")) }, {
      isClosed: strict,
    }),
    ...(strict && openPaths.length > 0 && {
      patternProperties: Object.fromEntries(openPaths.map((path) => [`^${path}\\.`, {}])),
    }),
    description: `Members of \`${name}\` to change, by name or dotted path: each with a new ` +
      "value or one operator.",
    example: patchExample(definition),
  };
}

/** Returns every declared path with the schema of its changes. */
function changesOf(
  fields: readonly FieldDefinition[],
  context: FieldContext,
  at: string,
): [path: string, JsonSchema][] {
  return fields.flatMap((field) => {
    const path = at + field.key;
    return [
      [path, changeSchema(field, context)],
      ...changesOf(field.fields ?? [], context, `${path}.`),
    ];
  });
}

function changeSchema(field: FieldDefinition, context: FieldContext): JsonSchema {
  const { default: _filled, ...plain } = field; // A change does not fill in defaults.
  if (isScalarType(field.type) && field.enum === undefined) {
    return refTo(`${field.required ? "" : "Optional"}${field.type}Change`);
  }
  return anyOf(
    fieldSchema(plain, context),
    ...listOperators(field, context),
    ...(field.required ? [] : [refTo("UnsetOperator")]),
  );
}

function listOperators({ type, items }: FieldDefinition, context: FieldContext): JsonSchema[] {
  const { holds, changes } = FIELD_TYPES[type];
  if (holds !== "elements" || changes === undefined) return [];
  const element = items === undefined ? {} : orNull(valueSchema(items, context));
  const some = anyOf(element, operatorObject({ $each: { type: "array", items: element } }));
  return changes.operators.map((name) => operatorObject({ [name]: some }));
}

/** Returns patterns of objects without declared members, into which any path may lead. */
function openPathsIn({ key, type, fields = [] }: FieldDefinition, at: string): string[] {
  const path = at + key;
  if (FIELD_TYPES[type].holds !== "members") return [];
  return fields.length === 0
    ? [path.replaceAll(".", "\\.")]
    : fields.flatMap((field) => openPathsIn(field, `${path}.`));
}

function valueExample({ type, fields, items, ...field }: FieldDefinition): unknown {
  if (field.default !== undefined) return field.default;
  if (fields !== undefined) return membersExample(fields);
  return items !== undefined && isScalarType(items.type)
    ? [FIELD_TYPES[items.type].example]
    : FIELD_TYPES[type].example;
}

const membersExample = (fields: readonly FieldDefinition[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field.key, valueExample(field)]));

export const documentExample = ({ fields }: CollectionDefinition) => ({
  _id: "66f1a0c2e4b0a1b2c3d4e5f6",
  ...membersExample(fields),
  createdAt: FIELD_TYPES.Date.example,
  updatedAt: FIELD_TYPES.Date.example,
  isDeleted: false,
  deletedAt: null,
});

/** Returns an example of a new document. The token identifies its owner. */
export const sentExample = ({ fields, rls }: CollectionDefinition) =>
  membersExample(fields.filter(({ key }) => !(rls.enabled && key === rls.ownerField)));

export function patchExample(definition: CollectionDefinition): Record<string, unknown> {
  const [first] = Object.entries(sentExample(definition));
  const number = definition.fields.find(({ type }) => typesChangedBy("$inc").includes(type));
  if (number !== undefined) return { [number.key]: { $inc: 1 } };
  return first === undefined ? {} : Object.fromEntries([first]);
}
