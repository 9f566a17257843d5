import { createHash, type Hash } from "node:crypto";
import { createTarDecoder } from "modern-tar";
import { z } from "zod";
import { exactBytesText } from "../../text/amounts.ts";
import { shown } from "../../text/input_text.ts";
import { decodeUtf8, NotUtf8 } from "../../text/utf8.ts";
import { Problem } from "../../problems.ts";
import { jsonRefusal, lineRefusal } from "../../store/exact_json.ts";
import { parseExactJson } from "../../store/json_text.ts";
import type { Json, StoredRecord } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { NAME_PATTERN } from "../../files/paths.ts";
import {
  ArchivedFile,
  CONFIGURATION,
  CONTENT,
  END,
  End,
  ENTRY_BYTES_MAX,
  fileFolder,
  MANIFEST,
  Manifest,
  RECORDS_BYTES_MAX,
  ROW,
  SAVED_VIEWS,
  SavedViews,
  SECRETS,
  Secrets,
} from "./format.ts";

/** A record as it stands in an archive. */
export interface ArchivedRecord {
  readonly revision: number;
  readonly value: StoredRecord;
  /** Its line, with the line's end. */
  readonly line: string;
}

/** What an archive holds, in the order in which it does. */
export type ArchivePart =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | { readonly kind: "configuration"; readonly configuration: Json }
  | { readonly kind: "views"; readonly views: SavedViews }
  | { readonly kind: "secrets"; readonly sealed: Json }
  | { readonly kind: "records"; readonly folder: string; readonly records: ArchivedRecord[] }
  | {
    readonly kind: "file";
    readonly name: string;
    readonly row: ArchivedFile;
    /** To be read to its end or cancelled before the next part is asked for. */
    readonly content: ReadableStream<Uint8Array<ArrayBuffer>>;
  }
  | { readonly kind: "end"; readonly end: End };

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export const refuse = (message: string, cause?: unknown): Problem =>
  new Problem("INVALID_INPUT", { message, cause });

/**
 * Reads an archive part by part: no more of it is in memory than one entry, or one piece of a file.
 * Throws `INVALID_INPUT` that names the entry where it is damaged, of another format, or none.
 */
export async function* readArchive(
  archive: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ArchivePart> {
  const entries = entriesOf(archive);
  let ended = false;
  for await (const entry of entries) {
    if (ended) throw refuse(`The archive goes on behind ${END}, with ${shown(entry.name)}.`);
    const part = await partOf(entry, entries);
    ended = part.kind === "end";
    yield part;
  }
  if (!ended) throw refuse(`The archive is cut off: it has no ${END}.`);
}

async function* entriesOf(
  archive: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Entry, undefined> {
  const entries = archive.pipeThrough(createTarDecoder({ strict: true }))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next().catch((cause) => {
        throw refuse(`The archive is damaged, or no tar: ${(cause as Error).message}`, cause);
      });
      if (next.done) return;
      const { header, body } = next.value;
      const { type = "file", name, size } = header;
      if (type !== "file") {
        throw refuse(`The archive has ${shown(name)}, which is no file but a ${type}.`);
      }
      yield { name, bytes: size, body: body as Entry["body"] };
    }
  } finally {
    await entries.return?.();
  }
}

const FILE_NAME = new RegExp(NAME_PATTERN);
const RECORDS = /^(users|identities|collections\/[A-Za-z][A-Za-z0-9_-]*)\/\d{7}\.ndjson$/;

async function partOf(entry: Entry, entries: AsyncIterator<Entry>): Promise<ArchivePart> {
  const { name } = entry;
  const [, folder] = RECORDS.exec(name) ?? [];
  if (folder !== undefined) return { kind: "records", folder, records: await recordsOf(entry) };
  switch (name) {
    case MANIFEST:
      return { kind: "manifest", manifest: fitting(name, Manifest, await jsonOf(entry)) };
    case CONFIGURATION:
      return { kind: "configuration", configuration: await jsonOf(entry) };
    case SAVED_VIEWS:
      return { kind: "views", views: fitting(name, SavedViews, await jsonOf(entry)) };
    case SECRETS:
      return { kind: "secrets", sealed: await jsonOf(entry) };
    case END:
      return { kind: "end", end: fitting(name, End, await jsonOf(entry)) };
  }
  return await fileOf(entry, entries);
}

async function fileOf(entry: Entry, entries: AsyncIterator<Entry>): Promise<ArchivePart> {
  const [first, name = "", last] = entry.name.split("/");
  if (first !== "files" || last !== ROW || !FILE_NAME.test(name)) {
    throw refuse(`The archive has ${shown(entry.name)}, which is nothing of its format.`);
  }
  const row = fitting(entry.name, ArchivedFile, await jsonOf(entry));
  const { value: content } = await entries.next() as IteratorResult<Entry, undefined>;
  if (content?.name !== `${fileFolder(name)}/${CONTENT}` || content.bytes !== row.bytes) {
    throw refuse(
      `Behind ${entry.name} its ${CONTENT} must stand, with ${exactBytesText(row.bytes)}.`,
    );
  }
  return { kind: "file", name, row, content: content.body };
}

async function textOf(
  { name, bytes, body }: Entry,
  bytesMax = ENTRY_BYTES_MAX,
): Promise<string> {
  if (bytes > bytesMax) throw refuse(`${name} has more than ${exactBytesText(bytesMax)}.`);
  try {
    return decodeUtf8(await new Response(body).bytes());
  } catch (cause) {
    throw refuse(`${name} ${cause instanceof NotUtf8 ? cause.message : "is cut off"}.`, cause);
  }
}

async function jsonOf(entry: Entry): Promise<Json> {
  const text = await textOf(entry);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw refuse(`${entry.name} ${jsonRefusal(cause, text)}.`, cause);
  }
}

async function recordsOf(entry: Entry): Promise<ArchivedRecord[]> {
  const lines = (await textOf(entry, RECORDS_BYTES_MAX)).split("\n");
  if (lines.pop() !== "") throw refuse(`${entry.name} is cut off.`);
  return lines.map((line, i) => recordOf(line, `${entry.name}, line ${i + 1}`));
}

const ID = /^[0-9a-f]{24}$/;

function recordOf(line: string, where: string): ArchivedRecord {
  let parsed: Json = null;
  try {
    parsed = parseExactJson(line);
  } catch (cause) {
    throw refuse(`${where}: this ${lineRefusal(cause, line)}.`, cause);
  }
  const { revision, record } = isObject(parsed) ? parsed : {};
  const hasId = isObject(record) && typeof record._id === "string" && ID.test(record._id);
  if (hasId && Number.isSafeInteger(revision) && (revision as number) >= 0) {
    return { revision: revision as number, value: record as StoredRecord, line: `${line}\n` };
  }
  throw refuse(`${where}: a line must be {"revision":number,"record":{"_id":id,…}}.`);
}

/** What fits a schema. Throws `INVALID_INPUT` that names the entry and the member. */
export function fitting<S extends z.ZodType>(where: string, schema: S, value: Json): z.infer<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  throw refuse(`${where}: ${shown(path.join(".") || "it")} ${message}.`);
}

/** The secrets of an archive, out of what was opened. */
export const secretsIn = (opened: Json): Secrets => fitting(SECRETS, Secrets, opened);

/** Hashes what a part of an archive holds, as the archive's end tells it. */
export class PartHash {
  readonly #hash: Hash = createHash("sha256");
  #count = 0;

  /** How many were added. */
  get count(): number {
    return this.#count;
  }

  add(line: string): void {
    this.#hash.update(line);
    this.#count++;
  }

  end(): { count: number; sha256: string } {
    return { count: this.#count, sha256: this.#hash.digest("hex") };
  }
}
