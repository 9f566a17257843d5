import { timestamp } from "../../clock.ts";
import { IDENTITIES } from "../../auth/identities.ts";
import { USERS } from "../../auth/users.ts";
import {
  type CollectionRecord,
  COLLECTIONS,
  definitionOf,
  tableName as storedAs,
} from "../../documents/catalog.ts";
import { compileCollection } from "../../documents/collection.ts";
import { readAllViews } from "../../documents/views.ts";
import type { Blobs } from "../../files/blobs.ts";
import { filePlaceOf, type UploadRecord, UPLOADS, visibilityOf } from "../../files/uploads.ts";
import { findProject } from "../../projects/projects.ts";
import type { Services } from "../../services.ts";
import type { Definition, Id, Snapshot } from "../../store/port.ts";
import { CONFIGURATION_FORMAT, pullConfiguration } from "../project_configuration.ts";
import {
  ARCHIVE_FORMAT,
  type ArchivedFile,
  collectionFolder,
  CONFIGURATION,
  END,
  type End,
  IDENTITIES_FOLDER,
  MANIFEST,
  type Manifest,
  type Part,
  SAVED_VIEWS,
  SECRETS,
  USERS_FOLDER,
} from "./format.ts";
import type { Progress } from "./progress.ts";
import { readProjectSecrets } from "./project_secrets.ts";
import { sealSecrets } from "./sealed_secrets.ts";
import { ArchiveWriter, type WrittenFile } from "./writer.ts";

export interface ExportOptions {
  readonly projectId: Id;
  /** Encrypts the secrets; null to leave them out. */
  readonly passphrase: string | null;
  readonly progress: Progress;
}

export interface ProjectExport {
  /** The bytes, which are written as fast as they are read. */
  readonly archive: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The last entry, after all was read. Rejects if the export fails. */
  readonly end: Promise<End>;
}

/**
 * Exports a project in use. Documents and users are from one consistent snapshot if the engine
 * supports it. Files that are removed before they are read are missing. Throws `PROJECT_NOT_FOUND`.
 */
export async function exportProject(
  services: Services,
  { projectId, passphrase, progress }: ExportOptions,
): Promise<ProjectExport> {
  const project = await findProject(services, projectId);
  const createdAt = timestamp(services.clock);
  const configuration = await pullConfiguration(services, projectId);
  const secrets = passphrase === null
    ? null
    : await sealSecrets(await readProjectSecrets(services, project), passphrase);
  const manifest: Manifest = {
    format: ARCHIVE_FORMAT,
    project: { id: projectId, name: project.name },
    createdAt,
  };
  const writer = new ArchiveWriter(new Date(createdAt));
  const write = async (): Promise<End> => {
    await writer.json(MANIFEST, manifest);
    const end = await services.engine.snapshot(projectId, async (snapshot) => {
      const collections = await readCollections(snapshot);
      const definitions = collections.map(definitionOf);
      const full = { format: CONFIGURATION_FORMAT, ...configuration, collections: definitions };
      await writer.json(CONFIGURATION, full);
      const views = await readAllViews(snapshot, collections);
      if (Object.keys(views).length > 0) await writer.json(SAVED_VIEWS, views);
      if (secrets !== null) await writer.json(SECRETS, secrets);
      return await writeData(services, { writer, snapshot, projectId, collections, progress });
    });
    await writer.json(END, end);
    writer.end();
    return end;
  };
  const end = write();
  end.catch((error) => writer.fail(error));
  return { archive: writer.readable, end };
}

/** Sorts the collections by name, like those of a configuration. */
async function readCollections(snapshot: Snapshot): Promise<CollectionRecord[]> {
  const pages = await Array.fromAsync(snapshot.pages<CollectionRecord>(COLLECTIONS));
  return pages.flat().map(({ value }) => value).sort((a, b) => a.name < b.name ? -1 : 1);
}

interface ExportContext {
  readonly writer: ArchiveWriter;
  readonly snapshot: Snapshot;
  readonly projectId: Id;
  readonly collections: readonly CollectionRecord[];
  readonly progress: Progress;
}

async function writeData(services: Services, writing: ExportContext): Promise<End> {
  const { writer, snapshot, progress } = writing;
  const from = timestamp(services.clock);
  const records = (folder: string, definition: Definition) =>
    writer.records(folder, snapshot.pages(definition), progress.forPart(folder));
  const users = await records(USERS_FOLDER, USERS);
  const identities = await records(IDENTITIES_FOLDER, IDENTITIES);
  const collections: Record<string, Part> = {};
  for (const record of writing.collections) {
    const { records: kind } = compileCollection(definitionOf(record), {
      storedAs: storedAs(record),
    });
    collections[record.name] = await records(collectionFolder(record.name), kind);
  }
  const rows = await readFileRows(snapshot);
  const to = timestamp(services.clock);
  const { isOfOneMoment } = snapshot;
  return {
    read: { from, to, isOfOneMoment },
    users,
    identities,
    collections,
    ...await writeFiles(services, writing, rows),
  };
}

/** Reads all rows into memory: at most 100,000, by the largest plan. */
async function readFileRows(snapshot: Snapshot): Promise<UploadRecord[]> {
  const rows: UploadRecord[] = [];
  for await (const page of snapshot.pages<UploadRecord>(UPLOADS)) {
    for (const { value } of page) if (value.state === "confirmed") rows.push(value);
  }
  return rows;
}

async function writeFiles(
  services: Services,
  { writer, projectId, progress }: ExportContext,
  rows: readonly UploadRecord[],
): Promise<Pick<End, "files" | "missingFiles">> {
  const missingFiles: string[] = [];
  async function* present(): AsyncGenerator<WrittenFile> {
    for (const row of rows) {
      const [name, content] = [archivedName(row), await openContent(services, projectId, row)];
      if (content === null) missingFiles.push(name);
      else yield { name, row: toArchivedFile(row), content };
    }
  }
  const files = await writer.files(present(), progress.forPart("files"));
  return { files, missingFiles };
}

/** Returns null if the file was removed. */
export async function openContent(
  { blobStores }: Pick<Services, "blobStores">,
  projectId: Id,
  row: UploadRecord,
): Promise<ReadableStream<Uint8Array> | null> {
  const blobs: Blobs = await blobStores.blobsOf(projectId, row.target);
  return await blobs.read(filePlaceOf(row), row.path);
}

/** Returns the end of the path, which does not depend on the project. */
export const archivedName = ({ path }: UploadRecord): string => path.slice(path.indexOf("/") + 1);

export const toArchivedFile = (row: UploadRecord): ArchivedFile => ({
  _id: row._id,
  filename: row.filename,
  contentType: row.contentType,
  bytes: row.bytes,
  visibility: visibilityOf(row),
  ownerId: row.ownerId ?? null,
  createdAt: row.createdAt,
});
