import { z } from "zod";
import {
  DEFINITION_DEPTH_MAX,
  DEFINITION_FIELDS_MAX,
  DEFINITION_LENGTH_MAX,
  DEFINITION_VALUES_MAX,
  ENUM_VALUE_LENGTH_MAX,
  ENUM_VALUES_MAX,
  SEARCH_FIELDS_MAX,
} from "../limits.ts";
import { type FieldFault, Problem } from "../problems.ts";
import { definitionSchema, listText, UNIQUE_TYPES } from "./definition_schema.ts";
import { findIndexFault, isIndexable, searchPaths } from "./definition_indexes.ts";
import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
  ReplacingDefinition,
} from "./fields.ts";
import { scalarTypesWith } from "../store/shape.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES } from "../store/field_types.ts";
import { DECLARED_NAME, isReserved, isServerField } from "./names.ts";
import { findRenameFault } from "./renames.ts";
import { quoted, textProblem } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { DefaultsBudget, DefaultsTooLarge, fillValue } from "./defaults.ts";
import { validateValue } from "./validate.ts";

const { members, names: MEMBERS } = definitionSchema("given");
const Definition = z.strictObject(members);

/** The default of `strict` is whether a field is declared. Throws `INVALID_DEFINITION`. */
export function parseDefinition(input: unknown): CollectionDefinition {
  const { definition, declaresFields } = readDefinition(input);
  return { ...definition, strict: definition.strict ?? declaresFields };
}

/** Throws `INVALID_DEFINITION`. */
export const parseReplacement = (input: unknown): ReplacingDefinition =>
  readDefinition(input).definition;

/** Adds the owner's field, which `declaresFields` does not count. */
function readDefinition(
  input: unknown,
): { definition: ReplacingDefinition; declaresFields: boolean } {
  if (isDeeperThan(input, INPUT_DEPTH_MAX)) {
    throw invalid(`The definition is nested deeper than ${INPUT_DEPTH_MAX} levels.`);
  }
  if (countValues(input) > DEFINITION_VALUES_MAX) {
    throw invalid(`The definition holds more than ${DEFINITION_VALUES_MAX} values.`);
  }
  if (JSON.stringify(input)?.length > DEFINITION_LENGTH_MAX) {
    throw invalid(
      `The definition is longer than ${DEFINITION_LENGTH_MAX} characters of JSON.`,
    );
  }
  const parsed = Definition.safeParse(input, { reportInput: true });
  if (!parsed.success) throw shapeProblem(parsed.error.issues[0]!);
  checkCollectionName(parsed.data.name);
  if (countFields(parsed.data.fields) > DEFINITION_FIELDS_MAX) {
    throw invalid(`A collection may declare up to ${DEFINITION_FIELDS_MAX} fields.`);
  }
  const { strict = null, ...given } = parsed.data;
  const definition = withOwnerField(withRenamedOwner({ ...given, strict }));
  const isStrict = strict ?? false;
  checkFields(definition.fields, { path: "", depth: 1, inArray: false, strict: isStrict });
  checkRenames(definition);
  checkSearchFields(definition);
  checkIndexList(definition);
  return { definition, declaresFields: given.fields.length > 0 };
}

/** Suggests similar names or values. */
function shapeProblem(issue: z.core.$ZodIssue): Problem {
  const { path, message } = issue;
  const text = `${path.length > 0 ? path.join(".") : "The definition"}: ${message}.`;
  if (issue.code === "unrecognized_keys") {
    return invalid(text + didYouMean(issue.keys[0]!, membersAt(path)));
  }
  const isWord = issue.code === "invalid_value" && typeof issue.input === "string";
  return invalid(
    isWord ? text + didYouMean(String(issue.input), issue.values.map(String)) : text,
  );
}

function membersAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return MEMBERS.definition;
  if (path[0] === "rls") return MEMBERS.rls;
  if (path[0] === "indexes") return MEMBERS.index;
  return path.at(-1) === "items" ? MEMBERS.item : MEMBERS.field;
}

/** Throws `INVALID_DEFINITION`, also if the input has another name. */
export function parseNamedDefinition(name: string, input: object): ReplacingDefinition {
  const named = { name, ...input };
  if (named.name !== name) {
    throw invalid("The name of a collection cannot change: leave it out.");
  }
  return parseReplacement(named);
}

/** A field, or the elements of an array, that refers to a collection. */
export interface Reference {
  /** Path in the definition, such as `author` or `tags.items`. */
  readonly path: string;
  readonly collection: string;
}

export const referencesIn = (fields: readonly FieldDefinition[], at = ""): Reference[] =>
  fields.flatMap((field) => referencesOf(field, at + field.key));

function referencesOf({ ref, fields = [], items }: ItemDefinition, path: string): Reference[] {
  return [
    ...(ref === undefined ? [] : [{ path, collection: ref }]),
    ...referencesIn(fields, `${path}.`),
    ...(items === undefined ? [] : referencesOf(items, `${path}.items`)),
  ];
}

export const referencedCollections = (fields: readonly FieldDefinition[]): string[] =>
  referencesIn(fields).map(({ collection }) => collection);

/** Suffices for three levels of fields and a default of the greatest depth. */
const INPUT_DEPTH_MAX = 40;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Stops when there are too many values. */
function countValues(value: unknown): number {
  let count = 1;
  if (typeof value !== "object" || value === null) return count;
  for (const inner of Object.values(value)) {
    count += countValues(inner);
    if (count > DEFINITION_VALUES_MAX) break;
  }
  return count;
}

const invalid = (message: string, faults: readonly FieldFault[] = []) =>
  new Problem("INVALID_DEFINITION", { message, faults });

/** Throws `INVALID_DEFINITION`. */
export function checkCollectionName(name: string): void {
  if (!DECLARED_NAME.test(name)) {
    throw invalid(
      `The collection name ${
        quoted(name)
      } must begin with a letter and have up to 64 letters, digits, - or _.`,
    );
  }
  if (name.toLowerCase().startsWith("users")) {
    throw invalid(
      `The collection name ${quoted(name)} is reserved: it begins with "users".`,
    );
  }
}

/** Sets `rls.ownerField` to the new name of the owner's field if the definition renames it. */
function withRenamedOwner(definition: ReplacingDefinition): ReplacingDefinition {
  const { fields, rls } = definition;
  if (fields.some(({ key }) => key === rls.ownerField)) return definition;
  const ownerField = fields.find(({ renamedFrom }) => renamedFrom === rls.ownerField)?.key;
  return ownerField === undefined ? definition : { ...definition, rls: { ...rls, ownerField } };
}

function withOwnerField(definition: ReplacingDefinition): ReplacingDefinition {
  const { enabled, ownerField } = definition.rls;
  if (!enabled) return definition;
  if (!DECLARED_NAME.test(ownerField) || isServerField(ownerField) || isReserved(ownerField)) {
    const message = isReserved(ownerField) ? RESERVED : "cannot be a field's name";
    const faults = [{ path: ownerField, message }];
    throw invalid(`rls.ownerField ${quoted(ownerField)} ${message}.`, faults);
  }
  const declared = definition.fields.find((field) => field.key === ownerField);
  if (declared === undefined) {
    const owner: FieldDefinition = {
      key: ownerField,
      type: "String",
      required: false,
      unique: false,
      index: false,
      search: false,
    };
    return { ...definition, fields: [...definition.fields, owner] };
  }
  if (!FIELD_TYPES[declared.type].isText && declared.ref !== "users") {
    const message = "must be a String or a Ref to users";
    const faults = [{ path: ownerField, message }];
    throw invalid(`The owner field "${ownerField}" ${message}.`, faults);
  }
  if (declared.enum !== undefined) {
    const message = 'holds ids of users, so it cannot have "enum"';
    throw invalid(`The owner field "${ownerField}" ${message}.`, [{ path: ownerField, message }]);
  }
  return definition;
}

function checkRenames({ fields }: ReplacingDefinition): void {
  const fault = findRenameFault(fields);
  if (fault !== null) throw invalid(`The field ${quoted(fault.path)} ${fault.message}.`, [fault]);
}

function checkSearchFields({ fields }: ReplacingDefinition): void {
  const [tooMany] = searchPaths(fields).slice(SEARCH_FIELDS_MAX);
  if (tooMany === undefined) return;
  const message = `exceeds the limit of ${SEARCH_FIELDS_MAX} fields with search`;
  throw invalid(`The field "${tooMany}" ${message}.`, [{ path: tooMany, message }]);
}

function checkIndexList(definition: ReplacingDefinition): void {
  const fault = findIndexFault(definition);
  if (fault !== null) throw invalid(`${fault.path} ${fault.message}.`, [fault]);
}

const RESERVED = "has a name that is reserved because JavaScript uses it: choose another one";

interface FieldContext {
  readonly path: string;
  readonly depth: number;
  readonly inArray: boolean;
  readonly strict: boolean;
}

function countFields(fields: readonly ItemDefinition[]): number {
  return fields.reduce(
    (count, { fields = [], items }) =>
      count + 1 + countFields(fields) + (items === undefined ? 0 : countFields([items])),
    0,
  );
}

function checkFields(fields: readonly FieldDefinition[], at: FieldContext): void {
  const keys = new Set<string>();
  for (const field of fields) {
    const path = at.path === "" ? field.key : `${at.path}.${field.key}`;
    if (keys.has(field.key)) {
      const message = "is declared twice";
      throw invalid(`The field "${path}" ${message}.`, [{ path, message }]);
    }
    keys.add(field.key);
    checkNested(field, { ...at, path });
  }
}

function checkNested(field: FieldDefinition, at: FieldContext): void {
  checkField(field, at);
  const inside = { ...at, depth: at.depth + 1 };
  if (field.fields !== undefined) checkFields(field.fields, inside);
  if (field.items !== undefined) {
    const plain = { required: false, unique: false, index: false, search: false };
    const item = { key: "items", ...plain, ...field.items };
    const place = { ...(FIELD_TYPES[item.type].holds === "elements" ? inside : at), inArray: true };
    checkNested(item, { ...place, path: `${at.path}.items` });
  }
}

function checkField(field: FieldDefinition, at: FieldContext): void {
  const atField = (why: string) =>
    invalid(`The field ${quoted(at.path)} ${why}.`, [{ path: at.path, message: why }]);
  if (isReserved(field.key)) throw atField(RESERVED);
  if (at.depth === 1 && isServerField(field.key)) throw atField("is set by the server");
  if (!DECLARED_NAME.test(field.key)) {
    throw atField("must begin with a letter and have up to 64 letters, digits, - or _");
  }
  if (field.renamedFrom !== undefined && (at.depth > 1 || at.inArray)) {
    throw atField("cannot be renamed: only fields at the top of documents can");
  }
  if (at.depth > DEFINITION_DEPTH_MAX) {
    throw atField(`is nested deeper than ${DEFINITION_DEPTH_MAX} levels`);
  }
  checkDetails(field, atField);
  checkEnum(field, atField);
  checkIndexes(field, at, atField);
  if (field.search && (at.inArray || !isText(field))) {
    throw atField("cannot be searched: only String and Array of String outside arrays can");
  }
  checkFile(field, at, atField);
  checkDefault(field, at, atField);
}

/** Rejects members that belong to other types, and a Ref without its collection. */
function checkDetails(field: ItemDefinition, atField: (why: string) => Problem): void {
  const { detail: own } = FIELD_TYPES[field.type];
  for (const detail of ["ref", "fields", "items", "enum"] as const) {
    const type = FIELD_TYPE_NAMES.find((name) => FIELD_TYPES[name].detail === detail)!;
    if (detail === "ref" && (own === detail) !== (field.ref !== undefined)) {
      throw atField(`needs "ref" if and only if its type is ${type}`);
    }
    if (field[detail] !== undefined && own !== detail) {
      throw atField(`has "${detail}", so its type must be ${type}`);
    }
  }
}

function checkEnum({ enum: values }: ItemDefinition, atField: (why: string) => Problem): void {
  if (values === undefined) return;
  if (values.length === 0 || values.length > ENUM_VALUES_MAX) {
    throw atField(`has ${values.length} values in "enum": it can have 1 to ${ENUM_VALUES_MAX}`);
  }
  for (const value of values) {
    const problem = value === ""
      ? "is empty"
      : value.length > ENUM_VALUE_LENGTH_MAX
      ? `is longer than ${ENUM_VALUE_LENGTH_MAX} characters`
      : textProblem(value);
    if (problem !== null) throw atField(`has a value in "enum", ${quoted(value)}, that ${problem}`);
  }
  const duplicate = values.find((value, i) => values.indexOf(value) !== i);
  if (duplicate !== undefined) throw atField(`has ${quoted(duplicate)} twice in "enum"`);
}

function checkFile(
  { file = false, onDelete, ...field }: FieldDefinition,
  { inArray }: FieldContext,
  atField: (why: string) => Problem,
): void {
  if (!file && onDelete !== undefined) throw atField('has "onDelete", so it needs "file": true');
  if (!file) return;
  if (inArray || !isText(field)) {
    throw atField("cannot hold files: only String and Array of String outside arrays can");
  }
  if (field.default !== undefined) throw atField("holds files, so it cannot have a default");
  if (field.enum !== undefined || field.items?.enum !== undefined) {
    throw atField('holds files, so it cannot have "enum"');
  }
}

const isText = ({ type, items }: ItemDefinition): boolean =>
  FIELD_TYPES[items === undefined ? type : items.type].isText === true;

function checkIndexes(
  field: FieldDefinition,
  at: FieldContext,
  atField: (why: string) => Problem,
): void {
  const topLevel = !at.path.includes(".");
  if (field.unique && !(topLevel && UNIQUE_TYPES.includes(field.type))) {
    throw atField(`cannot be unique: only ${listText(UNIQUE_TYPES)} at the top level can`);
  }
  if (field.index && (at.inArray || !isIndexable(field))) {
    throw atField(
      `cannot have an index: only ${
        listText(scalarTypesWith(() => true))
      } outside arrays can, and ` +
        "an Array of one of these",
    );
  }
}

function checkDefault(
  field: FieldDefinition,
  at: FieldContext,
  atField: (why: string) => Problem,
): void {
  const { strict } = at;
  if (field.default === undefined) return;
  if (field.default === null) throw atField("has the default null: leave it out");
  try {
    const filled = fillValue(field, field.default, new DefaultsBudget());
    const { faults } = validateValue(field, filled, { strict, depth: at.depth + 1 });
    if (faults.length > 0) throw atField(`has a default that does not fit: ${faults[0]!.message}`);
  } catch (error) {
    throw error instanceof DefaultsTooLarge ? atField("has a default that is too large") : error;
  }
}
