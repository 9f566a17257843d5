import { isMediaType } from "../../files/media_type.ts";
import { newPath } from "../../files/paths.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Id, Json } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { type ArchivedFile, isFilename } from "../archive/format.ts";
import type { Progress } from "../archive/progress.ts";
import { type ForeignFile, foreignId, foreignUuid } from "./foreign_project.ts";
import type { Notes } from "./notes.ts";
import type { FieldPlans } from "./pocketbase_fields.ts";
import {
  type PocketbaseCollection,
  pocketbaseId,
  type PocketbaseSource,
} from "./pocketbase_source.ts";
import { quoteName, type Row } from "./scratch.ts";

/** A folder. Paths have slashes and cannot lead out of it. */
export interface SourceFolder {
  /** Returns null if the file does not exist or is a link. */
  size(path: string): Promise<number | null>;
  open(path: string): Promise<ReadableStream<Uint8Array>>;
}

/** Limit of the attributes that PocketBase stores for each file. */
const ATTRIBUTES_BYTES_MAX = 65_536;
const OPAQUE = "application/octet-stream";

/** Valid names of files. Names in the database are untrusted. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^/\\\0]{1,255}$/;

interface FileOwner {
  readonly collection: PocketbaseCollection;
  readonly plans: FieldPlans;
  readonly isUsers: boolean;
}

/** Files, which are collected before the records that refer to them are read. */
export class PocketbaseFiles {
  readonly #source: PocketbaseSource;
  readonly #storage: SourceFolder;
  readonly #at: string;
  readonly #find: (...values: string[]) => Row | null;

  private constructor(source: PocketbaseSource, storage: SourceFolder, at: string) {
    this.#source = source;
    this.#storage = storage;
    this.#at = at;
    source.db.exec(
      `CREATE TEMP TABLE corbel_files
         (id TEXT PRIMARY KEY, name TEXT, row TEXT, path TEXT) WITHOUT ROWID`,
    );
    this.#find = source.db.prepareGet("SELECT name FROM corbel_files WHERE id = ?");
  }

  static async find(
    source: PocketbaseSource,
    owners: readonly FileOwner[],
    { storage, at, notes, progress }: {
      readonly storage: SourceFolder;
      readonly at: string;
      readonly notes: Notes;
      readonly progress: Progress;
    },
  ): Promise<PocketbaseFiles> {
    const files = new PocketbaseFiles(source, storage, at);
    const found = progress.forPart("looking for files");
    for (const owner of owners) {
      for (const { source: field } of owner.plans.fields) {
        if (field.type === "file") await files.#add(owner, field, { notes, found });
      }
    }
    if (source.hasBucket) {
      notes.add("Files of a bucket are imported only if they are in storage/ too");
    }
    return files;
  }

  /** Returns the end of the path, or null if the file does not exist. */
  nameOf(collection: PocketbaseCollection, recordId: string, filename: string): string | null {
    return this.#find(idOf(collection, recordId, filename))?.name as string | undefined ?? null;
  }

  *all(): Generator<ForeignFile> {
    const rows = this.#source.db.rows("SELECT name, row, path FROM corbel_files ORDER BY id");
    for (const { name, row, path } of rows) {
      yield {
        name: String(name),
        row: parseJson(String(row)) as unknown as ArchivedFile, // #add() has written it.
        open: () => this.#storage.open(String(path)),
      };
    }
  }

  async #add(
    { collection, plans, isUsers }: FileOwner,
    field: FieldPlans["fields"][number]["source"],
    { notes, found }: { readonly notes: Notes; readonly found: (count: number) => void },
  ): Promise<void> {
    const { db } = this.#source;
    const [column, created] = [quoteName(field.name), plans.createdAt ?? null];
    const insert = db.prepareRun("INSERT OR IGNORE INTO corbel_files VALUES (?, ?, ?, ?)");
    const rows = db.rows(
      `SELECT "id", CAST(${column} AS TEXT) AS files${
        created === null ? "" : `, ${quoteName(created)} AS created`
      } FROM ${quoteName(collection.name)} WHERE ${column} NOT IN ('', '[]')`,
    );
    for (const row of rows) {
      const recordId = String(row.id);
      for (const filename of parseTexts(String(row.files))) {
        const path = [collection.id, recordId, filename].every((one) => PLAIN_NAME.test(one))
          ? `${collection.id}/${recordId}/${filename}`
          : null;
        const bytes = path === null ? null : await this.#storage.size(path);
        if (path === null || bytes === null) {
          notes.count(
            `${collection.name}.${field.name}: files left out, because they are not in storage/`,
          );
          continue;
        }
        const description = await this.#readDescription(path, filename);
        const uuid = foreignUuid(collection.id, recordId, filename);
        const file: ArchivedFile = {
          _id: idOf(collection, recordId, filename),
          ...description,
          bytes,
          visibility: field.protected ? "private" : "public",
          ownerId: isUsers ? pocketbaseId(collection.id, recordId) : null,
          createdAt: parseTime(row.created ?? null) ?? this.#at,
        };
        insert(file._id, newPath("", uuid, filename).slice(1), JSON.stringify(file), path);
        found(1);
      }
    }
  }

  async #readDescription(
    path: string,
    filename: string,
  ): Promise<Pick<ArchivedFile, "filename" | "contentType">> {
    const attributes = await this.#attributes(`${path}.attrs`);
    const type = attributes["user.content_type"];
    const metadata = attributes["user.metadata"];
    const original = isObject(metadata ?? null)
      ? (metadata as { [name: string]: Json })["original-filename"]
      : null;
    const isType = typeof type === "string" && isMediaType(type);
    const isName = typeof original === "string" && isFilename(original);
    return { filename: isName ? original : filename, contentType: isType ? type : OPAQUE };
  }

  async #attributes(path: string): Promise<{ readonly [name: string]: Json }> {
    const bytes = await this.#storage.size(path);
    if (bytes === null || bytes > ATTRIBUTES_BYTES_MAX) return {};
    const content = await new Response(await this.#storage.open(path)).bytes();
    try {
      const value = parseJson(decodeUtf8(content));
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }
}

const idOf = (collection: PocketbaseCollection, recordId: string, filename: string): Id =>
  foreignId("pocketbase file", collection.id, recordId, filename);

/** Parses one text, or a list as JSON. */
export function parseTexts(value: string): string[] {
  if (!value.startsWith("[")) return value === "" ? [] : [value];
  try {
    const names = parseJson(value);
    return Array.isArray(names)
      ? names.filter((one) => typeof one === "string" && one !== "") as string[]
      : [];
  } catch {
    return [];
  }
}

/** Parses a time such as `2026-01-31 12:00:00.000Z`. Returns null for an invalid time. */
export function parseTime(value: string | number | null): string | null {
  const ms = typeof value === "string" && TIME.test(value)
    ? Date.parse(value.replace(" ", "T"))
    : NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

const TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
