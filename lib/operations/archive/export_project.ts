import { timestamp } from "../../clock.ts";
import { IDENTITIES } from "../../auth/identities.ts";
import { USERS } from "../../auth/users.ts";
import {
  type CollectionRecord,
  COLLECTIONS,
  definitionOf,
  placeOf as storedAs,
} from "../../documents/catalog.ts";
import { compileCollection } from "../../documents/collection.ts";
import { viewsIn } from "../../documents/views.ts";
import type { Blobs } from "../../files/blobs.ts";
import { placeOf, type UploadRecord, UPLOADS, visibilityOf } from "../../files/uploads.ts";
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
import { projectSecrets } from "./project_secrets.ts";
import { sealSecrets } from "./sealed_secrets.ts";
import { ArchiveWriter, type WrittenFile } from "./writer.ts";

export interface ExportOptions {
  readonly projectId: Id;
  /** Under which secrets go with it; null for none of them. */
  readonly passphrase: string | null;
  readonly progress: Progress;
}

/** An archive while it is written. */
export interface ProjectExport {
  /** To be read to its end: writing goes no faster. */
  readonly archive: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** What is in it, once it is read. Rejects where it breaks off. */
  readonly end: Promise<End>;
}

/**
 * Everything that a project is, as an archive, while others go on writing. Documents and users are
 * as they were at one moment, if the engine can tell them so; files are those of that moment that
 * are still there when their turn comes. Throws `PROJECT_NOT_FOUND`.
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
    : await sealSecrets(await projectSecrets(services, project), passphrase);
  const manifest: Manifest = {
    format: ARCHIVE_FORMAT,
    project: { id: projectId, name: project.name },
    createdAt,
  };
  const writer = new ArchiveWriter(new Date(createdAt));
  const write = async (): Promise<End> => {
    await writer.json(MANIFEST, manifest);
    const end = await services.engine.snapshot(projectId, async (snapshot) => {
      const collections = await collectionsIn(snapshot);
      const definitions = collections.map(definitionOf);
      const whole = { format: CONFIGURATION_FORMAT, ...configuration, collections: definitions };
      await writer.json(CONFIGURATION, whole);
      const views = await viewsIn(snapshot, collections);
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

/** In the order of their names, as a configuration has them. */
async function collectionsIn(snapshot: Snapshot): Promise<CollectionRecord[]> {
  const pages = await Array.fromAsync(snapshot.pages<CollectionRecord>(COLLECTIONS));
  return pages.flat().map(({ value }) => value).sort((a, b) => a.name < b.name ? -1 : 1);
}

interface Writing {
  readonly writer: ArchiveWriter;
  readonly snapshot: Snapshot;
  readonly projectId: Id;
  readonly collections: readonly CollectionRecord[];
  readonly progress: Progress;
}

async function writeData(services: Services, writing: Writing): Promise<End> {
  const { writer, snapshot, progress } = writing;
  const from = timestamp(services.clock);
  const records = (folder: string, definition: Definition) =>
    writer.records(folder, snapshot.pages(definition), progress.of(folder));
  const users = await records(USERS_FOLDER, USERS);
  const identities = await records(IDENTITIES_FOLDER, IDENTITIES);
  const collections: Record<string, Part> = {};
  for (const record of writing.collections) {
    const { records: kind } = compileCollection(definitionOf(record), {
      storedAs: storedAs(record),
    });
    collections[record.name] = await records(collectionFolder(record.name), kind);
  }
  const rows = await fileRows(snapshot);
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

/** The rows alone are held: 100,000 at most, by the largest plan. */
async function fileRows(snapshot: Snapshot): Promise<UploadRecord[]> {
  const rows: UploadRecord[] = [];
  for await (const page of snapshot.pages<UploadRecord>(UPLOADS)) {
    for (const { value } of page) if (value.state === "confirmed") rows.push(value);
  }
  return rows;
}

async function writeFiles(
  services: Services,
  { writer, projectId, progress }: Writing,
  rows: readonly UploadRecord[],
): Promise<Pick<End, "files" | "missingFiles">> {
  const missingFiles: string[] = [];
  async function* present(): AsyncGenerator<WrittenFile> {
    for (const row of rows) {
      const [name, content] = [nameOf(row), await contentOf(services, projectId, row)];
      if (content === null) missingFiles.push(name);
      else yield { name, row: archivedFile(row), content };
    }
  }
  const files = await writer.files(present(), progress.of("files"));
  return { files, missingFiles };
}

/** Null where it was removed since. */
export async function contentOf(
  { blobStores }: Pick<Services, "blobStores">,
  projectId: Id,
  row: UploadRecord,
): Promise<ReadableStream<Uint8Array> | null> {
  const blobs: Blobs = await blobStores.named(projectId, row.target);
  return await blobs.read(placeOf(row), row.path);
}

/** What a path ends with: the same in whichever project. */
export const nameOf = ({ path }: UploadRecord): string => path.slice(path.indexOf("/") + 1);

export const archivedFile = (row: UploadRecord): ArchivedFile => ({
  _id: row._id,
  filename: row.filename,
  contentType: row.contentType,
  bytes: row.bytes,
  visibility: visibilityOf(row),
  ownerId: row.ownerId ?? null,
  createdAt: row.createdAt,
});
