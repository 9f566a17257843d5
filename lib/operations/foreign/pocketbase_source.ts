import { z } from "zod";
import { parseJson } from "../../store/json_text.ts";
import { quoted } from "../../text/input_text.ts";
import { foreignId } from "./foreign_project.ts";
import { invalidSource, quoteName, type Row, ScratchDatabase } from "./scratch.ts";

/** Number that a project can have. */
const COLLECTIONS_MAX = 500;
const FIELDS_MAX = 500;

const text = z.string().nullish().transform((value) => value ?? "");
const flag = z.boolean().nullish().transform((value) => value === true);

const Field = z.looseObject({
  name: z.string().min(1),
  type: z.string(),
  required: flag,
  system: flag,
  primaryKey: flag,
  maxSelect: z.number().nullish().transform((value) => value ?? 0),
  collectionId: text,
  protected: flag,
  onUpdate: flag,
});
export type PocketbaseField = z.infer<typeof Field>;

const Provider = z.looseObject({ name: text, clientId: text });

const Options = z.looseObject({
  oauth2: z.looseObject({ providers: z.array(Provider).nullish() }).nullish(),
});

const TYPE = z.enum(["base", "auth", "view"]);

const RULES = ["listRule", "viewRule", "createRule", "updateRule", "deleteRule"] as const;

export interface PocketbaseCollection {
  readonly id: string;
  readonly name: string;
  readonly type: "base" | "auth" | "view";
  readonly fields: readonly PocketbaseField[];
  readonly indexes: readonly string[];
  /** Null if only superusers have access. */
  readonly rules: Readonly<Record<typeof RULES[number], string | null>>;
  readonly providers: readonly { readonly name: string; readonly clientId: string }[];
}

export interface PocketbaseSource {
  readonly db: ScratchDatabase;
  /** Stable identifier of the folder. */
  readonly id: string;
  readonly name: string;
  /** Whether files are stored in a bucket instead of the folder. */
  readonly hasBucket: boolean;
  /** Collections without those of the system, in the order of their creation. */
  readonly collections: readonly PocketbaseCollection[];
}

export const pocketbaseId = (collectionId: string, recordId: string): string =>
  foreignId("pocketbase", collectionId, recordId);

/** Returns SQL for {@linkcode pocketbaseId}. */
export const idOf = ({ id }: PocketbaseCollection): string =>
  `corbel_id('${id.replaceAll("'", "''")}', "id")`;

/** Throws `INVALID_INPUT` if the file is not a database of PocketBase 0.23 or newer. */
export function openPocketbase(path: string): PocketbaseSource {
  const db = openDatabase(path);
  try {
    db.define("corbel_id", (collectionId, id) => pocketbaseId(String(collectionId), String(id)));
    if (OWN_TABLES.some((table) => columnsIn(db, table).size === 0)) {
      throw invalidSource(
        `data.db is not a database of PocketBase: it must have ${OWN_TABLES.join(", ")}.`,
      );
    }
    if (!columnsIn(db, "_collections").has("fields")) {
      throw invalidSource(
        "data.db is from PocketBase before 0.23: start a newer version on a copy of the folder, " +
          "which upgrades it, and import the copy.",
      );
    }
    return readSource(db);
  } catch (error) {
    db[Symbol.dispose]();
    throw error;
  }
}

const OWN_TABLES = ["_collections", "_params", "_externalAuths"];

const columnsIn = (db: ScratchDatabase, table: string): ReadonlySet<unknown> =>
  new Set([...db.rows("SELECT name FROM pragma_table_info(?)", table)].map(({ name }) => name));

function openDatabase(path: string): ScratchDatabase {
  let db: ScratchDatabase | null = null;
  let problem: unknown;
  try {
    db = new ScratchDatabase(path);
    const [first] = db.rows("PRAGMA quick_check(1)");
    if (first?.quick_check === "ok") return db;
    problem = new Error(String(first?.quick_check));
  } catch (cause) {
    problem = cause;
  }
  db?.[Symbol.dispose]();
  throw invalidSource(
    `data.db is damaged or is not a database: ${(problem as Error).message}`,
    problem,
  );
}

function readSource(db: ScratchDatabase): PocketbaseSource {
  const rows = [...db.rows(
    `SELECT id, name, type, system, CAST(fields AS TEXT) AS fields,
       CAST(indexes AS TEXT) AS indexes, CAST(options AS TEXT) AS options, created,
       ${RULES.join(", ")}
     FROM _collections ORDER BY created, rowid LIMIT ${COLLECTIONS_MAX + 1}`,
  )];
  if (rows.length > COLLECTIONS_MAX) {
    throw invalidSource(`data.db has more than ${COLLECTIONS_MAX} collections.`);
  }
  // Collections of the system are created with the folder and never again.
  const own = rows.filter(({ system }) => system === 1).map(({ id, created }) => [id, created]);
  const { appName, hasBucket } = readSettings(db);
  return {
    db,
    id: JSON.stringify(own.sort()),
    name: appName,
    hasBucket,
    collections: rows.filter(({ system }) => system !== 1).map(parseCollection)
      .map((collection) => checkColumns(db, collection)),
  };
}

/** Throws `INVALID_INPUT` if the table of a collection lacks a column. */
function checkColumns(db: ScratchDatabase, collection: PocketbaseCollection): PocketbaseCollection {
  if (collection.type === "view") return collection;
  const { name, fields } = collection;
  const columns = columnsIn(db, name);
  const missing = fields.find((field) => !columns.has(field.name));
  if (missing === undefined) return collection;
  throw invalidSource(`data.db: the table ${quoted(name)} has no column ${quoted(missing.name)}.`);
}

const Settings = z.looseObject({
  meta: z.looseObject({ appName: text }).nullish(),
  s3: z.looseObject({ enabled: flag }).nullish(),
});

/** Settings may be encrypted with a key that is not in the folder. */
function readSettings(db: ScratchDatabase): { appName: string; hasBucket: boolean } {
  const [row] = db.rows("SELECT CAST(value AS TEXT) AS value FROM _params WHERE id = 'settings'");
  const { data } = Settings.safeParse(jsonIn(String(row?.value)));
  return { appName: data?.meta?.appName ?? "", hasBucket: data?.s3?.enabled ?? false };
}

function parseCollection(row: Row): PocketbaseCollection {
  const name = String(row.name);
  const read = <S extends z.ZodType>(member: string, schema: S): z.infer<S> => {
    const { data, error } = schema.safeParse(jsonIn(String(row[member])));
    if (error === undefined) return data;
    const { path, message } = error.issues[0]!;
    throw invalidSource(
      `data.db: ${member} of ${quoted(name)}: ${path.join(".")} ${message}.`,
      error,
    );
  };
  const { data: type } = TYPE.safeParse(row.type);
  if (type === undefined) throw invalidSource(`data.db: ${quoted(name)} has an unknown type.`);
  return {
    id: String(row.id),
    name,
    type,
    fields: read("fields", z.array(Field).max(FIELDS_MAX)),
    indexes: read("indexes", z.array(z.string())),
    rules: Object.fromEntries(
      RULES.map((rule) => [rule, row[rule]]),
    ) as PocketbaseCollection["rules"],
    providers: read("options", Options).oauth2?.providers ?? [],
  };
}

function jsonIn(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}

/** Reads integers as text, so that they stay exact. */
export function columnOf({ name, type }: PocketbaseField): string {
  const column = quoteName(name);
  if (type === "number") {
    return `CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS TEXT)
      WHEN 'null' THEN NULL ELSE CAST(${column} AS REAL) END AS ${column}`;
  }
  return `CAST(${column} AS ${type === "bool" ? "INTEGER" : "TEXT"}) AS ${column}`;
}
