import { createHash, type Hash } from "node:crypto";
import { createTarDecoder } from "modern-tar";
import { z } from "zod";
import { exactBytesText } from "../../text/amounts.ts";
import { quoted } from "../../text/input_text.ts";
import { decodeUtf8, NotUtf8 } from "../../text/utf8.ts";
import { Problem } from "../../problems.ts";
import { jsonErrorReason, lineErrorReason } from "../../store/exact_json.ts";
import { parseExactJson } from "../../store/json_text.ts";
import type { Json, StoredRecord } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { NAME_PATTERN } from "../../files/paths.ts";
import {
  ArchivedFile,
  CONFIGURATION,
  END,
  End,
  ENTRY_BYTES_MAX,
  FILE_CONTENT,
  FILE_ROW,
  fileFolder,
  MANIFEST,
  Manifest,
  RECORDS_BYTES_MAX,
  SAVED_VIEWS,
  SavedViews,
  SECRETS,
  Secrets,
} from "./format.ts";

export interface ArchivedRecord {
  readonly revision: number;
  readonly value: StoredRecord;
  /** The line, including its end. */
  readonly line: string;
}

/** A part of an archive, in the order of the format. */
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
    /** Must be read or cancelled before the next part is requested. */
    readonly content: ReadableStream<Uint8Array<ArrayBuffer>>;
  }
  | { readonly kind: "end"; readonly end: End };

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export const badArchive = (message: string, cause?: unknown): Problem =>
  new Problem("INVALID_INPUT", { message, cause });

/** Keeps one entry or one chunk in memory. Throws `INVALID_INPUT` that names a damaged entry. */
export async function* readArchive(
  archive: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ArchivePart> {
  const entries = readEntries(archive);
  let hasEnded = false;
  for await (const entry of entries) {
    if (hasEnded) {
      throw badArchive(`The archive continues after ${END}, with ${quoted(entry.name)}.`);
    }
    const part = await readPart(entry, entries);
    hasEnded = part.kind === "end";
    yield part;
  }
  if (!hasEnded) throw badArchive(`The archive is cut off: it has no ${END}.`);
}

async function* readEntries(
  archive: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Entry, undefined> {
  const entries = archive.pipeThrough(createTarDecoder({ strict: true }))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next().catch((cause) => {
        throw badArchive(
          `The archive is damaged or is not a tar: ${(cause as Error).message}`,
          cause,
        );
      });
      if (next.done) return;
      const { header, body } = next.value;
      const { type = "file", name, size } = header;
      if (type !== "file") {
        throw badArchive(`The archive has ${quoted(name)}, which is a ${type} instead of a file.`);
      }
      yield { name, bytes: size, body: body as Entry["body"] };
    }
  } finally {
    await entries.return?.();
  }
}

const FILE_NAME = new RegExp(NAME_PATTERN);
const RECORDS = /^(users|identities|collections\/[A-Za-z][A-Za-z0-9_-]*)\/\d{7}\.ndjson$/;

async function readPart(entry: Entry, entries: AsyncIterator<Entry>): Promise<ArchivePart> {
  const { name } = entry;
  const [, folder] = RECORDS.exec(name) ?? [];
  if (folder !== undefined) return { kind: "records", folder, records: await readRecords(entry) };
  switch (name) {
    case MANIFEST:
      return { kind: "manifest", manifest: parseWithSchema(name, Manifest, await readJson(entry)) };
    case CONFIGURATION:
      return { kind: "configuration", configuration: await readJson(entry) };
    case SAVED_VIEWS:
      return { kind: "views", views: parseWithSchema(name, SavedViews, await readJson(entry)) };
    case SECRETS:
      return { kind: "secrets", sealed: await readJson(entry) };
    case END:
      return { kind: "end", end: parseWithSchema(name, End, await readJson(entry)) };
  }
  return await readFile(entry, entries);
}

async function readFile(entry: Entry, entries: AsyncIterator<Entry>): Promise<ArchivePart> {
  const [first, name = "", last] = entry.name.split("/");
  if (first !== "files" || last !== FILE_ROW || !FILE_NAME.test(name)) {
    throw badArchive(`The archive has ${quoted(entry.name)}, which is not part of its format.`);
  }
  const row = parseWithSchema(entry.name, ArchivedFile, await readJson(entry));
  const { value: content } = await entries.next() as IteratorResult<Entry, undefined>;
  if (content?.name !== `${fileFolder(name)}/${FILE_CONTENT}` || content.bytes !== row.bytes) {
    throw badArchive(
      `${entry.name} must be followed by its ${FILE_CONTENT}, with ${exactBytesText(row.bytes)}.`,
    );
  }
  return { kind: "file", name, row, content: content.body };
}

async function readText({ name, bytes, body }: Entry, bytesMax = ENTRY_BYTES_MAX): Promise<string> {
  if (bytes > bytesMax) throw badArchive(`${name} has more than ${exactBytesText(bytesMax)}.`);
  try {
    return decodeUtf8(await new Response(body).bytes());
  } catch (cause) {
    throw badArchive(`${name} ${cause instanceof NotUtf8 ? cause.message : "is cut off"}.`, cause);
  }
}

async function readJson(entry: Entry): Promise<Json> {
  const text = await readText(entry);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw badArchive(`${entry.name} ${jsonErrorReason(cause, text)}.`, cause);
  }
}

async function readRecords(entry: Entry): Promise<ArchivedRecord[]> {
  const lines = (await readText(entry, RECORDS_BYTES_MAX)).split("\n");
  if (lines.pop() !== "") throw badArchive(`${entry.name} is cut off.`);
  return lines.map((line, i) => parseRecord(line, `${entry.name}, line ${i + 1}`));
}

const ID = /^[0-9a-f]{24}$/;

function parseRecord(line: string, where: string): ArchivedRecord {
  let parsed: Json = null;
  try {
    parsed = parseExactJson(line);
  } catch (cause) {
    throw badArchive(`${where}: this ${lineErrorReason(cause, line)}.`, cause);
  }
  const { revision, record } = isObject(parsed) ? parsed : {};
  const hasId = isObject(record) && typeof record._id === "string" && ID.test(record._id);
  if (hasId && Number.isSafeInteger(revision) && (revision as number) >= 0) {
    return { revision: revision as number, value: record as StoredRecord, line: `${line}\n` };
  }
  throw badArchive(`${where}: a line must be {"revision":number,"record":{"_id":id,…}}.`);
}

/** Throws `INVALID_INPUT` that names the entry and the member. */
export function parseWithSchema<S extends z.ZodType>(
  where: string,
  schema: S,
  value: Json,
): z.infer<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  throw badArchive(`${where}: ${quoted(path.join(".") || "it")} ${message}.`);
}

/** Throws `INVALID_INPUT`. */
export const parseSecrets = (opened: Json): Secrets => parseWithSchema(SECRETS, Secrets, opened);

/** Counts and hashes records, for comparison with the end of the archive. */
export class PartHash {
  readonly #hash: Hash = createHash("sha256");
  #count = 0;

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
