import { hash } from "node:crypto";
import type { IdentityRecord } from "../../auth/identities.ts";
import type { UserRecord } from "../../auth/users.ts";
import { hashedId } from "../../crypto/hashes.ts";
import { recordText } from "../../store/json_text.ts";
import { type Id, SNAPSHOT_BYTES, SNAPSHOT_RECORDS, type StoredRecord } from "../../store/port.ts";
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
  USERS_FOLDER,
} from "../archive/format.ts";
import type { Progress } from "../archive/progress.ts";
import type { ArchiveWriter, WrittenFile } from "../archive/writer.ts";
import { CONFIGURATION_FORMAT } from "../project_configuration.ts";

/** A definition in which properties with defaults may be omitted. */
export interface GivenField {
  readonly key?: string;
  readonly type: string;
  readonly ref?: string;
  readonly items?: GivenField;
  readonly fields?: readonly GivenField[];
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly file?: boolean;
  readonly public?: boolean;
}

export interface GivenCollection {
  readonly name: string;
  readonly fields: readonly GivenField[];
  readonly rls: { readonly enabled: true; readonly mode: "private"; readonly ownerField: string };
  /** Not strict, because documents may have undeclared fields. */
  readonly strict: false;
  readonly indexes: readonly { readonly fields: readonly string[]; readonly unique: boolean }[];
}

export interface ForeignFile {
  /** The end of the file's path. */
  readonly name: string;
  readonly row: ArchivedFile;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** A project from another system. A source always gives equal records, ordered by id. */
export interface ForeignProject {
  readonly id: Id;
  readonly name: string;
  /** Time of the source, ISO 8601, for records without a time. */
  readonly at: string;
  readonly configuration: {
    readonly userFields: readonly GivenField[];
    readonly collections: readonly GivenCollection[];
    readonly providers: readonly object[];
  };
  users(): Iterable<UserRecord>;
  identities(): Iterable<IdentityRecord>;
  documents(collection: string): Iterable<StoredRecord>;
  files(): Iterable<ForeignFile>;
}

/** Field with the id that a record had in its source. */
export const SOURCE_ID = "sourceId";

export const foreignId = (...parts: readonly string[]): Id => hashedId(JSON.stringify(parts));

/** Derives a UUID for a file name from ids of another system. */
export function foreignUuid(...parts: readonly string[]): string {
  const digits = hash("sha256", JSON.stringify(["file", ...parts]), "hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

export async function writeForeignProject(
  writer: ArchiveWriter,
  project: ForeignProject,
  progress: Progress,
): Promise<void> {
  const { id, name, at, configuration } = project;
  const manifest: Manifest = { format: ARCHIVE_FORMAT, project: { id, name }, createdAt: at };
  await writer.json(MANIFEST, manifest);
  await writer.json(CONFIGURATION, { format: CONFIGURATION_FORMAT, ...configuration });
  const records = (folder: string, all: Iterable<StoredRecord>) =>
    writer.records(folder, pagesOf(all), progress.forPart(`reading ${folder}`));
  const users = await records(USERS_FOLDER, project.users());
  const identities = await records(IDENTITIES_FOLDER, project.identities());
  const collections: Record<string, Part> = {};
  for (const { name } of configuration.collections) {
    collections[name] = await records(collectionFolder(name), project.documents(name));
  }
  const read = { from: at, to: at, isOfOneMoment: true };
  const files = await writer.files(openFiles(project), progress.forPart("reading files"));
  const end: End = { read, users, identities, collections, files, missingFiles: [] };
  await writer.json(END, end);
  writer.end();
}

async function* openFiles(project: ForeignProject): AsyncGenerator<WrittenFile> {
  for (const { name, row, open } of project.files()) yield { name, row, content: await open() };
}

interface RecordLine {
  readonly json: string;
  readonly revision: number;
}

/** Pages have the size of a snapshot's pages. */
async function* pagesOf(records: Iterable<StoredRecord>): AsyncGenerator<readonly RecordLine[]> {
  let [page, length]: [RecordLine[], number] = [[], 0];
  for (const record of records) {
    const json = recordText(record);
    page.push({ json, revision: 1 });
    length += json.length;
    if (page.length < SNAPSHOT_RECORDS && length < SNAPSHOT_BYTES) continue;
    yield page;
    [page, length] = [[], 0];
  }
  if (page.length > 0) yield page;
}
