import assert from "node:assert/strict";
import { packTar, type ParsedTarEntryWithData, unpackTar } from "modern-tar";
import type { OpenArchive } from "@/lib/operations/archive/check_archive.ts";
import { exportProject } from "@/lib/operations/archive/export_project.ts";
import { END, type End } from "@/lib/operations/archive/format.ts";
import {
  type ImportOptions,
  importProject,
  type ImportReport,
} from "@/lib/operations/archive/import_project.ts";
import { NO_PROGRESS, type Progress } from "@/lib/operations/archive/progress.ts";
import { PartHash } from "@/lib/operations/archive/reader.ts";
import { configurationOf } from "@/routes/admin/file_schemas.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";

export const PASSPHRASE = "correct horse battery staple";

/** Exports a project's archive into memory. */
export async function archiveOf(
  services: Services,
  projectId: Id,
  { passphrase = null, progress = NO_PROGRESS }: {
    passphrase?: string | null;
    progress?: Progress;
  } = {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; end: End }> {
  const exported = await exportProject(services, { projectId, passphrase, progress });
  const bytes = await new Response(exported.archive).bytes();
  return { bytes, end: await exported.end };
}

export const openBytes = (bytes: Uint8Array<ArrayBuffer>): OpenArchive => () =>
  Promise.resolve(new Blob([bytes]).stream());

export const importBytes = (
  services: Services,
  bytes: Uint8Array<ArrayBuffer>,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> =>
  importProject(services, openBytes(bytes), {
    readConfiguration: configurationOf,
    name: null,
    ownerId: null,
    isCopy: false,
    skipInvalid: false,
    passphrase: null,
    progress: NO_PROGRESS,
    ...options,
  });

interface Line {
  revision: number;
  record: { _id: string; [name: string]: unknown };
}

export const recordsIn = (text: string): Line[] =>
  text.trimEnd().split("\n").map((line) => JSON.parse(line));

/** Returns the records of the archive entries whose names begin with `prefix`. */
export async function linesIn(bytes: Uint8Array<ArrayBuffer>, prefix: string): Promise<Line[]> {
  return (await unpackTar(bytes)).filter(({ header }) => header.name.startsWith(prefix))
    .flatMap(({ data }) => recordsIn(new TextDecoder().decode(data)));
}

type Texts = Map<string, string>;

/**
 * Returns the archive with altered entries.
 * @param hasMatchingEnd Whether the end entry is updated, as by an attacker who knows the format.
 */
export async function alterArchive(
  bytes: Uint8Array<ArrayBuffer>,
  alter: (entries: Texts) => void,
  { hasMatchingEnd = false }: { hasMatchingEnd?: boolean } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const entries = await unpackTar(bytes);
  const texts: Texts = new Map(
    entries.map(({ header, data }) => [header.name, new TextDecoder().decode(data)]),
  );
  alter(texts);
  if (hasMatchingEnd) texts.set(END, JSON.stringify(endOf(texts)));
  const contents = new Map(entries.map(({ header, data }) => [header.name, data]));
  const packed = [...texts].map(([name, text]): ParsedTarEntryWithData => {
    // The bytes of a file may not be text.
    const data = name.endsWith("/content") ? contents.get(name)! : new TextEncoder().encode(text);
    return { header: { name, size: data.length }, data };
  });
  return await packTar(packed) as Uint8Array<ArrayBuffer>;
}

/** Returns the end entry that matches these records. Its part about files is unchanged. */
function endOf(texts: Texts): End {
  const end: End = JSON.parse(texts.get(END)!);
  const parts = new Map<string, PartHash>();
  for (const [name, text] of texts) {
    const [, folder] = /^(.*)\/\d+\.ndjson$/.exec(name) ?? [];
    if (folder === undefined) continue;
    const part = parts.getOrInsert(folder, new PartHash());
    for (const line of text.split("\n").slice(0, -1)) {
      part.add(`${line}\n`);
    }
  }
  const partEnd = (folder: string) => (parts.get(folder) ?? new PartHash()).end();
  return {
    ...end,
    users: partEnd("users"),
    identities: partEnd("identities"),
    collections: Object.fromEntries(
      Object.keys(end.collections).map((name) => [name, partEnd(`collections/${name}`)]),
    ),
  };
}

/** Returns all records of projects, keys and members, all blobs and all spaces. */
export async function storedState({ engine, blobStores }: Services) {
  const kinds = ["projects", "apiKeys", "members"].map((name) => ({
    name,
    fields: {},
    indexes: [],
    trash: false,
  }));
  const control = await Promise.all(kinds.map(async (kind) =>
    (await Array.fromAsync(
      engine.records("control", kind).find({ filter: { op: "and", of: [] } }),
      ({ _id }) => _id,
    )).sort()
  ));
  const blobs = [];
  for (const place of ["partial", "stored", "private"] as const) {
    const page = await blobStores.internal.list(place, { prefix: "", after: null, limit: 1000 });
    blobs.push(page.blobs.map(({ path }) => path));
  }
  return { control, blobs, spaces: (await engine.spaces()).sort() };
}

export async function assertTraceless(
  services: Services,
  work: () => Promise<unknown>,
  refusal: RegExp,
): Promise<void> {
  const before = await storedState(services);
  await assert.rejects(work, (error: Error) => {
    assert.match(error.message, refusal);
    return true;
  }, `must be refused by ${refusal}`);
  assert.deepEqual(await storedState(services), before, "nothing of the import is left");
}
