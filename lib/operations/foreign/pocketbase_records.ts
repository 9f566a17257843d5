import type { ItemDefinition } from "../../documents/fields.ts";
import { InexactInteger, parseEnteredNumber } from "../../store/exact_json.ts";
import { parseExactJson } from "../../store/json_text.ts";
import type { Id, Json, StoredRecord } from "../../store/port.ts";
import { toStorableValue } from "./storable_values.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";
import type { FieldPlan, FieldPlans } from "./pocketbase_fields.ts";
import { parseTexts, parseTime, type PocketbaseFiles } from "./pocketbase_files.ts";
import {
  columnOf,
  idOf,
  type PocketbaseCollection,
  pocketbaseId,
  type PocketbaseSource,
} from "./pocketbase_source.ts";
import { quoted } from "../../text/input_text.ts";
import { invalidSource, quoteName, type Row } from "./scratch.ts";

export interface RecordContext {
  readonly projectId: Id;
  readonly at: string;
  readonly files: PocketbaseFiles;
  readonly notes: Notes;
}

/** Orders rows by their new ids in the column `_id`. */
export function* readRows(
  { db }: PocketbaseSource,
  collection: PocketbaseCollection,
  columns: readonly string[] = [],
): Generator<Row> {
  const list = [`${idOf(collection)} AS "_id"`, ...collection.fields.map(columnOf), ...columns];
  yield* db.rows(`SELECT ${list.join(", ")} FROM ${quoteName(collection.name)} ORDER BY 1`);
}

/** A record without times gets the time of the source. */
export function timesOf(row: Row, { createdAt, updatedAt }: FieldPlans, at: string) {
  const created = createdAt === null ? null : parseTime(row[createdAt]!);
  const updated = updatedAt === null ? null : parseTime(row[updatedAt]!);
  return { createdAt: created ?? updated ?? at, updatedAt: updated ?? created ?? at };
}

export function* readDocuments(
  source: PocketbaseSource,
  plan: FieldPlans & { readonly source: PocketbaseCollection },
  context: RecordContext,
): Generator<StoredRecord> {
  for (const row of readRows(source, plan.source)) {
    yield {
      _id: String(row._id),
      [SOURCE_ID]: String(row.id),
      ...fieldsOf(row, plan, context),
      ...timesOf(row, plan, context.at),
      isDeleted: false,
      deletedAt: null,
    };
  }
}

/** Files of users are stored by name, without the project id. */
export function fieldsOf(
  row: Row,
  { source, fields }: FieldPlans & { readonly source: PocketbaseCollection },
  context: RecordContext,
  isUsers = false,
): { [name: string]: Json } {
  const { notes, projectId, files } = context;
  const filePath = (filename: string): string[] => {
    const name = files.nameOf(source, String(row.id), filename);
    if (name === null) return [];
    return [isUsers ? name : `${projectId}/${name}`];
  };
  return Object.fromEntries(fields.map((plan) => {
    const where = `${source.name}.${plan.source.name}`;
    const cell = row[plan.source.name]!;
    const value = refuseInexact(
      () => valueOf(cell, plan, filePath),
      `data.db: ${where} of the record ${quoted(String(row.id))}`,
    );
    if (isLostTime(cell, value, plan)) {
      notes.count(
        `${where}: times left out, because they are not written as PocketBase writes them`,
      );
    }
    // Validation uses only properties that a given definition has.
    const type = plan.type as ItemDefinition | null;
    return [plan.key, toStorableValue(type, value, { where, notes })];
  }));
}

const isLostTime = (cell: Row[string], value: Json, { type }: FieldPlan): boolean =>
  type?.type === "Date" && value === null && cell !== null && cell !== "";

function valueOf(
  cell: string | number | null,
  { source, type, emptyIsNull }: FieldPlan,
  filePath: (filename: string) => string[],
): Json {
  if (cell === null) return null;
  const isMany = source.maxSelect > 1;
  switch (source.type) {
    case "number":
      return typeof cell === "string" ? parseEnteredNumber(cell) : cell;
    case "bool":
      return cell !== 0;
    case "date":
    case "autodate":
      return parseTime(cell);
    case "json":
    case "geoPoint":
      return jsonOf(String(cell));
    case "file": {
      const paths = parseTexts(String(cell)).flatMap(filePath);
      return isMany ? paths : paths[0] ?? null;
    }
    case "select":
    case "relation": {
      const words = parseTexts(String(cell));
      const isReference = (type?.items ?? type)?.ref !== undefined;
      const values = isReference ? words.map((id) => pocketbaseId(source.collectionId, id)) : words;
      return isMany ? values : values[0] ?? null;
    }
  }
  return emptyIsNull && cell === "" ? null : cell;
}

/** Throws {@linkcode InexactInteger}. */
function jsonOf(text: string): Json {
  try {
    return text === "" ? null : parseExactJson(text);
  } catch (error) {
    if (error instanceof InexactInteger) throw error;
    return text;
  }
}

/** Throws `INVALID_INPUT` if a value has an integer that a double cannot represent. */
function refuseInexact(read: () => Json, where: string): Json {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InexactInteger)) throw error;
    throw invalidSource(`${where} has ${error.message}.`, error);
  }
}
