import { z } from "zod";
import { parseJson } from "../../store/json_text.ts";
import { shown } from "../../text/input_text.ts";
import { foreignId } from "./foreign_project.ts";
import { quoted, refuse, type Row, Scratch } from "./scratch.ts";

/** More would be no project. */
const COLLECTIONS_MAX = 500;
const FIELDS_MAX = 500;

const text = z.string().nullish().transform((value) => value ?? "");
const yes = z.boolean().nullish().transform((value) => value === true);

const Field = z.looseObject({
  name: z.string().min(1),
  type: z.string(),
  required: yes,
  system: yes,
  primaryKey: yes,
  maxSelect: z.number().nullish().transform((value) => value ?? 0),
  collectionId: text,
  protected: yes,
  onUpdate: yes,
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
  /** SQL that makes them. */
  readonly indexes: readonly string[];
  /** Null where only a superuser may. */
  readonly rules: Readonly<Record<typeof RULES[number], string | null>>;
  readonly providers: readonly { readonly name: string; readonly clientId: string }[];
}

/** The database of a PocketBase folder. */
export interface PocketbaseSource {
  readonly db: Scratch;
  /** The same for each reading of one folder, and of no other. */
  readonly id: string;
  readonly name: string;
  /** Whether its files are in a bucket instead of the folder. */
  readonly hasBucket: boolean;
  /** Without its own, in the order in which they were made. */
  readonly collections: readonly PocketbaseCollection[];
}

/** The id of a record, also in SQL. */
export const pocketbaseId = (collectionId: string, recordId: string): string =>
  foreignId("pocketbase", collectionId, recordId);

/** SQL for the id that a record gets. */
export const idOf = ({ id }: PocketbaseCollection): string =>
  `corbel_id('${id.replaceAll("'", "''")}', "id")`;

/**
 * Opens a copy of `data.db`. Throws `INVALID_INPUT` for one that is damaged, or is none of
 * PocketBase 0.23 or newer. Then it is closed.
 */
export function openPocketbase(path: string): PocketbaseSource {
  const db = opened(path);
  try {
    db.define("corbel_id", (collectionId, id) => pocketbaseId(String(collectionId), String(id)));
    if (OWN_TABLES.some((table) => columnsIn(db, table).size === 0)) {
      throw refuse(`data.db is none of PocketBase: it must have ${OWN_TABLES.join(", ")}.`);
    }
    if (!columnsIn(db, "_collections").has("fields")) {
      throw refuse(
        "data.db is of PocketBase before 0.23: start a newer one on a copy of the folder, which " +
          "brings it over, and import that.",
      );
    }
    return sourceIn(db);
  } catch (error) {
    db[Symbol.dispose]();
    throw error;
  }
}

/** What is read of it beside the tables of its collections. */
const OWN_TABLES = ["_collections", "_params", "_externalAuths"];

const columnsIn = (db: Scratch, table: string): ReadonlySet<unknown> =>
  new Set([...db.rows("SELECT name FROM pragma_table_info(?)", table)].map(({ name }) => name));

function opened(path: string): Scratch {
  let db: Scratch | null = null;
  let problem: unknown;
  try {
    db = new Scratch(path);
    const [first] = db.rows("PRAGMA quick_check(1)");
    if (first?.quick_check === "ok") return db;
    problem = new Error(String(first?.quick_check));
  } catch (cause) {
    problem = cause;
  }
  db?.[Symbol.dispose]();
  throw refuse(`data.db is damaged, or no database: ${(problem as Error).message}`, problem);
}

function sourceIn(db: Scratch): PocketbaseSource {
  const rows = [...db.rows(
    `SELECT id, name, type, system, CAST(fields AS TEXT) AS fields,
       CAST(indexes AS TEXT) AS indexes, CAST(options AS TEXT) AS options, created,
       ${RULES.join(", ")}
     FROM _collections ORDER BY created, rowid LIMIT ${COLLECTIONS_MAX + 1}`,
  )];
  if (rows.length > COLLECTIONS_MAX) {
    throw refuse(`data.db has more than ${COLLECTIONS_MAX} collections.`);
  }
  // Its own collections are made with the folder, and never anew.
  const own = rows.filter(({ system }) => system === 1).map(({ id, created }) => [id, created]);
  const { appName, hasBucket } = settingsIn(db);
  return {
    db,
    id: JSON.stringify(own.sort()),
    name: appName,
    hasBucket,
    collections: rows.filter(({ system }) => system !== 1).map(collectionOf)
      .map((collection) => whole(db, collection)),
  };
}

/** Its table must have what is to be read of it. */
function whole(db: Scratch, collection: PocketbaseCollection): PocketbaseCollection {
  if (collection.type === "view") return collection;
  const { name, fields } = collection;
  const columns = columnsIn(db, name);
  const missing = fields.find((field) => !columns.has(field.name));
  if (missing === undefined) return collection;
  throw refuse(`data.db: the table ${shown(name)} has no column ${shown(missing.name)}.`);
}

const Settings = z.looseObject({
  meta: z.looseObject({ appName: text }).nullish(),
  s3: z.looseObject({ enabled: yes }).nullish(),
});

/** They may be encrypted with a key that is not in the folder. */
function settingsIn(db: Scratch): { appName: string; hasBucket: boolean } {
  const [row] = db.rows("SELECT CAST(value AS TEXT) AS value FROM _params WHERE id = 'settings'");
  const { data } = Settings.safeParse(jsonIn(String(row?.value)));
  return { appName: data?.meta?.appName ?? "", hasBucket: data?.s3?.enabled ?? false };
}

function collectionOf(row: Row): PocketbaseCollection {
  const name = String(row.name);
  const read = <S extends z.ZodType>(member: string, schema: S): z.infer<S> => {
    const { data, error } = schema.safeParse(jsonIn(String(row[member])));
    if (error === undefined) return data;
    const { path, message } = error.issues[0]!;
    throw refuse(`data.db: ${member} of ${shown(name)}: ${path.join(".")} ${message}.`, error);
  };
  const { data: type } = TYPE.safeParse(row.type);
  if (type === undefined) throw refuse(`data.db: ${shown(name)} is of a type that nobody knows.`);
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

/** A column as it is read. An integer is read as text, because a double may not hold it. */
export function columnOf({ name, type }: PocketbaseField): string {
  const column = quoted(name);
  if (type === "number") {
    return `CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS TEXT)
      WHEN 'null' THEN NULL ELSE CAST(${column} AS REAL) END AS ${column}`;
  }
  return `CAST(${column} AS ${type === "bool" ? "INTEGER" : "TEXT"}) AS ${column}`;
}
