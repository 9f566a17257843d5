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

/** A project's archive, whole in memory. */
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

export const opening = (bytes: Uint8Array<ArrayBuffer>): OpenArchive => () =>
  Promise.resolve(new Blob([bytes]).stream());

export const importOf = (
  services: Services,
  bytes: Uint8Array<ArrayBuffer>,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> =>
  importProject(services, opening(bytes), {
    readConfiguration: configurationOf,
    name: null,
    ownerId: null,
    isCopy: false,
    goesOn: false,
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

/** The records of an archive's entries whose names begin so. */
export async function linesIn(bytes: Uint8Array<ArrayBuffer>, prefix: string): Promise<Line[]> {
  return (await unpackTar(bytes)).filter(({ header }) => header.name.startsWith(prefix))
    .flatMap(({ data }) => recordsIn(new TextDecoder().decode(data)));
}

type Texts = Map<string, string>;

/**
 * An archive with other entries. @param isWhole Whether its end tells of what is in it then: who has
 * altered it knows the format.
 */
export async function altered(
  bytes: Uint8Array<ArrayBuffer>,
  alter: (entries: Texts) => void,
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const entries = await unpackTar(bytes);
  const texts: Texts = new Map(
    entries.map(({ header, data }) => [header.name, new TextDecoder().decode(data)]),
  );
  alter(texts);
  if (isWhole) texts.set(END, JSON.stringify(endOf(texts)));
  const contents = new Map(entries.map(({ header, data }) => [header.name, data]));
  const packed = [...texts].map(([name, text]): ParsedTarEntryWithData => {
    // The bytes of a file may be no text.
    const data = name.endsWith("/content") ? contents.get(name)! : new TextEncoder().encode(text);
    return { header: { name, size: data.length }, data };
  });
  return await packTar(packed) as Uint8Array<ArrayBuffer>;
}

/** What the end of an archive with these records would tell; files stay. */
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
  const told = (folder: string) => (parts.get(folder) ?? new PartHash()).end();
  return {
    ...end,
    users: told("users"),
    identities: told("identities"),
    collections: Object.fromEntries(
      Object.keys(end.collections).map((name) => [name, told(`collections/${name}`)]),
    ),
  };
}

/** Everything that services keep, to see that nothing of a refused import is left. */
export async function everythingIn({ engine, blobStores }: Services) {
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
  const before = await everythingIn(services);
  await assert.rejects(work, (error: Error) => {
    assert.match(error.message, refusal);
    return true;
  }, `must be refused by ${refusal}`);
  assert.deepEqual(await everythingIn(services), before, "nothing is left of it");
}
