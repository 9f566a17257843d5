import type { Collection } from "../../documents/collection.ts";
import { compileCollections } from "../../documents/save_collection.ts";
import type { FileField } from "../../documents/file_fields.ts";
import type { Services } from "../../services.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { ALL } from "../../store/filter.ts";
import { recordText } from "../../store/json_text.ts";
import type { Definition, Id, Json, Records, StoredRecord } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { type CheckedArchive, Faults, type OpenArchive } from "./check_archive.ts";
import { collectionFolder, recordLine } from "./format.ts";
import { FileImport, hashFiles } from "./import_files.ts";
import type { ImportState } from "./import_state.ts";
import type { Progress } from "./progress.ts";
import { type ArchivedRecord, badArchive, PartHash, readArchive } from "./reader.ts";
import { createRecordRules, type RecordRules } from "./record_rules.ts";

export interface ImportedData {
  /** Numbers of imported records and files, by folder. */
  readonly imported: Readonly<Record<string, number>>;
  /** Numbers of skipped records, by folder. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Reasons for the first ten skipped records. */
  readonly why: readonly string[];
  /** Hash of each part, read from the store after the import. */
  readonly hashes: Readonly<Record<string, string>>;
}

interface DataOptions {
  readonly archive: CheckedArchive;
  readonly state: ImportState;
  readonly isCopy: boolean;
  readonly skipInvalid: boolean;
  readonly progress: Progress;
}

const FILES = "files";
const BATCH_RECORDS = 500;

/**
 * Stores users, documents and files, then reads them back and compares the hashes. Does not repeat
 * records of an interrupted import.
 */
export async function importData(
  services: Services,
  open: OpenArchive,
  options: DataOptions,
): Promise<ImportedData> {
  const run = await DataImport.begin(services, options);
  for await (const part of readArchive(await open())) {
    if (part.kind === "records") await run.records(part.folder, part.records);
    if (part.kind === "file") await run.file(part);
  }
  return await run.compare();
}

class DataImport {
  readonly #services: Services;
  readonly #options: DataOptions;
  readonly #folders: ReadonlyMap<string, FolderImport>;
  readonly #files: FileImport;
  readonly #faults = new Faults();
  #fileCount = 0;

  private constructor(
    services: Services,
    options: DataOptions,
    { folders, files }: {
      readonly folders: ReadonlyMap<string, FolderImport>;
      readonly files: FileImport;
    },
  ) {
    this.#services = services;
    this.#options = options;
    this.#folders = folders;
    this.#files = files;
  }

  static async begin(services: Services, options: DataOptions): Promise<DataImport> {
    const { archive: { manifest, configuration }, state, isCopy } = options;
    const { projectId } = state;
    const collections = new Map(
      (await compileCollections(services, projectId))
        .map((one) => [collectionFolder(one.definition.name), one]),
    );
    const moved = isCopy ? { from: manifest.project.id, to: projectId } : null;
    const folders = new Map<string, FolderImport>();
    for (const [folder, rules] of createRecordRules(configuration)) {
      const kind = withoutChangeRecords(collections.get(folder) ?? null, rules);
      const records = services.engine.records(projectId, kind);
      const lastStoredId = await lastIdIn(records);
      const files = moved === null ? [] : rules.collection?.files ?? [];
      folders.set(folder, {
        rules,
        kind,
        records,
        lastStoredId,
        files,
        moved,
        hash: new PartHash(),
      });
    }
    const files = await FileImport.begin(services, state);
    return new DataImport(services, options, { folders, files });
  }

  async records(name: string, records: readonly ArchivedRecord[]): Promise<void> {
    const folder = this.#folders.get(name)!; // checkArchive() has checked the folder names.
    const fitting: ArchivedRecord[] = [];
    for (const record of records) {
      const fault = folder.rules.faultOf(record);
      if (fault === null) fitting.push(withMovedPaths(folder, record));
      else this.#faults.add(name, record.value, fault);
    }
    for (let at = 0; at < fitting.length; at += BATCH_RECORDS) {
      const batch = fitting.slice(at, at + BATCH_RECORDS);
      const isThere = ({ value }: ArchivedRecord) =>
        folder.lastStoredId !== null && value._id <= folder.lastStoredId;
      const refused = await this.#restore(name, folder, batch.filter((one) => !isThere(one)));
      for (const one of await this.#findSkippedEarlier(folder, batch.filter(isThere))) {
        this.#faults.add(name, one.value, "another record has its value of a unique field");
        refused.add(one.value._id);
      }
      for (const { line, value } of batch) {
        if (!refused.has(value._id)) folder.hash.add(line);
      }
      this.#options.progress.forPart(name)(batch.length);
      this.#options.state.assertHeld();
    }
  }

  async file(part: Parameters<FileImport["add"]>[0]): Promise<void> {
    await this.#files.add(part);
    this.#fileCount++;
    this.#options.progress.forPart(FILES)(1);
  }

  /** Throws `INVALID_INPUT` if the stored data differ from the archive. */
  async compare(): Promise<ImportedData> {
    const { state, archive } = this.#options;
    const hashes: Record<string, string> = {};
    const imported: Record<string, number> = {};
    const different: string[] = [];
    for (const [name, { kind, hash }] of this.#folders) {
      const [expected, stored] = [hash.end(), await this.#hashStored(name, kind)];
      if (expected.count !== stored.count || expected.sha256 !== stored.sha256) {
        different.push(name);
      }
      hashes[name] = stored.sha256;
      imported[name] = stored.count;
    }
    const files = new PartHash();
    await hashFiles(this.#services, state, (line) => files.add(line));
    const { count, sha256 } = files.end();
    if (count !== this.#fileCount || sha256 !== archive.end.files.sha256) different.push(FILES);
    if (different.length > 0) {
      throw badArchive(
        `The stored data differ from the archive: ${
          different.join(", ")
        }. The import was removed; ` +
          "please report this.",
      );
    }
    hashes[FILES] = sha256;
    imported[FILES] = count;
    return { imported, leftOut: this.#faults.counts, why: this.#faults.named, hashes };
  }

  async #hashStored(name: string, kind: Definition): Promise<ReturnType<PartHash["end"]>> {
    const { state, progress } = this.#options;
    const hash = new PartHash();
    await this.#services.engine.snapshot(state.projectId, async (snapshot) => {
      for await (const page of snapshot.pages(kind)) {
        for (const stored of page) hash.add(recordLine(stored));
        progress.forPart(`comparing ${name}`)(page.length);
        state.assertHeld();
      }
    });
    return hash.end();
  }

  async #findSkippedEarlier(
    { records }: FolderImport,
    passed: readonly ArchivedRecord[],
  ): Promise<ArchivedRecord[]> {
    if (!this.#options.skipInvalid) return [];
    const missing: ArchivedRecord[] = [];
    for (const record of passed) {
      if (await records.get(record.value._id) === null) missing.push(record);
    }
    return missing;
  }

  /** Returns the ids of records with a unique value that another record has. */
  async #restore(
    name: string,
    { records }: FolderImport,
    batch: readonly ArchivedRecord[],
  ): Promise<Set<Id>> {
    const refused = new Set<Id>();
    if (batch.length === 0) return refused;
    try {
      await records.restore(batch);
      return refused;
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
    for (const record of batch) {
      const path = await findTakenPath(records, record);
      if (path === null) continue;
      const why = `another record has its value of the unique field "${path}"`;
      if (!this.#options.skipInvalid) {
        throw badArchive(`Nothing was imported. ${name}, ${record.value._id}: ${why}.`);
      }
      this.#faults.add(name, record.value, why);
      refused.add(record.value._id);
    }
    return refused;
  }
}

/** Stores a record, or returns the path of a unique value that another record has. */
async function findTakenPath(records: Records, record: ArchivedRecord): Promise<string | null> {
  try {
    await records.restore([record]);
    return null;
  } catch (error) {
    if (error instanceof UniqueViolation) return error.path;
    throw error;
  }
}

interface FolderImport {
  readonly rules: RecordRules;
  readonly kind: Definition;
  readonly records: Records;
  /** Greatest id that an interrupted import has stored; null if there is none. */
  readonly lastStoredId: Id | null;
  /** Fields with paths of files, which must be moved to the new project. */
  readonly files: readonly FileField[];
  readonly moved: { readonly from: Id; readonly to: Id } | null;
  readonly hash: PartHash;
}

/** Returns a definition without changes, because imported records are not news for webhooks. */
function withoutChangeRecords(stored: Collection | null, { definition }: RecordRules): Definition {
  const { recordedAs: _recordedAs, ...kind } = stored?.records ?? definition;
  return kind;
}

async function lastIdIn(records: Records): Promise<Id | null> {
  const last = { filter: ALL, sort: [{ path: "_id", descending: true }], limit: 1 };
  return (await records.list(last)).records()[0]?._id ?? null;
}

/** Paths of files begin with the project's id. */
function withMovedPaths({ files, moved }: FolderImport, record: ArchivedRecord): ArchivedRecord {
  const { revision } = record;
  const value = moved === null || files.length === 0 ? record.value : files.reduce<Json>(
    (value, { path }) => replacePaths(value, path.split("."), moved),
    record.value,
  );
  const stored = value as StoredRecord; // Only texts inside the record were changed.
  return { revision, value: stored, line: recordLine({ json: recordText(stored), revision }) };
}

function replacePaths(
  value: Json,
  [name, ...rest]: readonly string[],
  moved: { readonly from: Id; readonly to: Id },
): Json {
  if (name !== undefined) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: replacePaths(value[name]!, rest, moved) };
  }
  if (Array.isArray(value)) return value.map((one) => replacePaths(one, [], moved));
  const isTheirs = typeof value === "string" && value.startsWith(`${moved.from}/`);
  return isTheirs ? `${moved.to}${value.slice(moved.from.length)}` : value;
}
