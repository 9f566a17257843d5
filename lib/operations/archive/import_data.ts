import type { Collection } from "../../documents/collection.ts";
import { storedCollections } from "../../documents/save_collection.ts";
import type { FileField } from "../../documents/file_fields.ts";
import type { Services } from "../../services.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { ALL } from "../../store/filter.ts";
import { recordText } from "../../store/json_text.ts";
import type { Definition, Id, Json, Records, StoredRecord } from "../../store/port.ts";
import { isObject } from "../../store/shape.ts";
import { type CheckedArchive, Faults, type OpenArchive } from "./check_archive.ts";
import { collectionFolder, lineOf } from "./format.ts";
import { FileImport, hashFiles } from "./import_files.ts";
import type { ImportState } from "./import_state.ts";
import type { Progress } from "./progress.ts";
import { type ArchivedRecord, PartHash, readArchive, refuse } from "./reader.ts";
import { type RecordRules, rulesUnder } from "./record_rules.ts";

export interface ImportedData {
  /** How many were imported: of users, identities, each collection and files. */
  readonly imported: Readonly<Record<string, number>>;
  /** The same of those that could not be. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Why, of the first ten. */
  readonly why: readonly string[];
  /** The hash of each part, as it was read from the store afterwards. */
  readonly hashes: Readonly<Record<string, string>>;
}

interface DataOptions {
  readonly archive: CheckedArchive;
  readonly state: ImportState;
  readonly isCopy: boolean;
  readonly goesOn: boolean;
  readonly progress: Progress;
}

const FILES = "files";
/** How many records are written in one transaction. */
const LOT = 500;

/**
 * Writes users, documents and files of an archive, and reads all of it again to compare it. What is
 * there already, from an import that was broken off, is not written again.
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
  return await run.compared();
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
      (await storedCollections(services, projectId))
        .map((one) => [collectionFolder(one.definition.name), one]),
    );
    const moved = isCopy ? { from: manifest.project.id, to: projectId } : null;
    const folders = new Map<string, FolderImport>();
    for (const [folder, rules] of rulesUnder(configuration)) {
      const kind = importedAs(collections.get(folder) ?? null, rules);
      const records = services.engine.records(projectId, kind);
      const there = await lastIn(records);
      const files = moved === null ? [] : rules.collection?.files ?? [];
      folders.set(folder, { rules, kind, records, there, files, moved, hash: new PartHash() });
    }
    const files = await FileImport.begin(services, state);
    return new DataImport(services, options, { folders, files });
  }

  async records(name: string, records: readonly ArchivedRecord[]): Promise<void> {
    const folder = this.#folders.get(name)!; // The archive was looked at.
    const fitting: ArchivedRecord[] = [];
    for (const record of records) {
      const fault = folder.rules.faultOf(record);
      if (fault === null) fitting.push(movedTo(folder, record));
      else this.#faults.add(name, record.value, fault);
    }
    for (let at = 0; at < fitting.length; at += LOT) {
      const lot = fitting.slice(at, at + LOT);
      const isThere = ({ value }: ArchivedRecord) =>
        folder.there !== null && value._id <= folder.there;
      const refused = await this.#restore(name, folder, lot.filter((one) => !isThere(one)));
      for (const one of await this.#leftOutBefore(folder, lot.filter(isThere))) {
        this.#faults.add(name, one.value, "another has its value of a unique field");
        refused.add(one.value._id);
      }
      for (const { line, value } of lot) {
        if (!refused.has(value._id)) folder.hash.add(line);
      }
      this.#options.progress.of(name)(lot.length);
      this.#options.state.assertHeld();
    }
  }

  async file(part: Parameters<FileImport["add"]>[0]): Promise<void> {
    await this.#files.add(part);
    this.#fileCount++;
    this.#options.progress.of(FILES)(1);
  }

  /** What is stored now must be what was to be stored. */
  async compared(): Promise<ImportedData> {
    const { state, archive } = this.#options;
    const hashes: Record<string, string> = {};
    const imported: Record<string, number> = {};
    const different: string[] = [];
    for (const [name, { kind, hash }] of this.#folders) {
      const [wanted, stored] = [hash.end(), await this.#stored(name, kind)];
      if (wanted.count !== stored.count || wanted.sha256 !== stored.sha256) different.push(name);
      hashes[name] = stored.sha256;
      imported[name] = stored.count;
    }
    const files = new PartHash();
    await hashFiles(this.#services, state, (line) => files.add(line));
    const { count, sha256 } = files.end();
    if (count !== this.#fileCount || sha256 !== archive.end.files.sha256) different.push(FILES);
    if (different.length > 0) {
      throw refuse(
        `What was stored is not what the archive holds: ${different.join(", ")}. Nothing is left ` +
          "of it; please report this.",
      );
    }
    hashes[FILES] = sha256;
    imported[FILES] = count;
    return { imported, leftOut: this.#faults.counts, why: this.#faults.named, hashes };
  }

  async #stored(name: string, kind: Definition): Promise<ReturnType<PartHash["end"]>> {
    const { state, progress } = this.#options;
    const hash = new PartHash();
    await this.#services.engine.snapshot(state.projectId, async (snapshot) => {
      for await (const page of snapshot.pages(kind)) {
        for (const stored of page) hash.add(lineOf(stored));
        progress.of(`comparing ${name}`)(page.length);
        state.assertHeld();
      }
    });
    return hash.end();
  }

  /** Of those that an import before this one came by, what it could not store. */
  async #leftOutBefore(
    { records }: FolderImport,
    passed: readonly ArchivedRecord[],
  ): Promise<ArchivedRecord[]> {
    if (!this.#options.goesOn) return [];
    const missing: ArchivedRecord[] = [];
    for (const record of passed) {
      if (await records.get(record.value._id) === null) missing.push(record);
    }
    return missing;
  }

  /** Resolves to the ids of those that another has a unique value of, which are left out. */
  async #restore(
    name: string,
    { records }: FolderImport,
    lot: readonly ArchivedRecord[],
  ): Promise<Set<Id>> {
    const refused = new Set<Id>();
    if (lot.length === 0) return refused;
    try {
      await records.restore(lot);
      return refused;
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
    }
    for (const record of lot) {
      const path = await takenValue(records, record);
      if (path === null) continue;
      const why = `another has its value of the unique field "${path}"`;
      if (!this.#options.goesOn) {
        throw refuse(`Nothing was imported. ${name}, ${record.value._id}: ${why}.`);
      }
      this.#faults.add(name, record.value, why);
      refused.add(record.value._id);
    }
    return refused;
  }
}

/** The path of a unique value that another record has; null where the record is stored now. */
async function takenValue(records: Records, record: ArchivedRecord): Promise<string | null> {
  try {
    await records.restore([record]);
    return null;
  } catch (error) {
    if (error instanceof UniqueViolation) return error.path;
    throw error;
  }
}

/** The records of one folder, on their way. */
interface FolderImport {
  readonly rules: RecordRules;
  readonly kind: Definition;
  readonly records: Records;
  /** The greatest id that an import before this one has stored; null where none has. */
  readonly there: Id | null;
  /** Fields whose paths lead into the new project. */
  readonly files: readonly FileField[];
  readonly moved: { readonly from: Id; readonly to: Id } | null;
  /** Of what is to be stored. */
  readonly hash: PartHash;
}

/** Nobody is told of what is imported: it has happened elsewhere, and before. */
function importedAs(stored: Collection | null, { definition }: RecordRules): Definition {
  const { recordedAs: _recordedAs, ...kind } = stored?.records ?? definition;
  return kind;
}

async function lastIn(records: Records): Promise<Id | null> {
  const last = { filter: ALL, sort: [{ path: "_id", descending: true }], limit: 1 };
  return (await records.list(last)).records()[0]?._id ?? null;
}

/** As it is stored here: paths of files begin with the project's id. */
function movedTo({ files, moved }: FolderImport, record: ArchivedRecord): ArchivedRecord {
  const { revision } = record;
  const value = moved === null || files.length === 0 ? record.value : files.reduce<Json>(
    (value, { path }) => withPaths(value, path.split("."), moved),
    record.value,
  );
  const stored = value as StoredRecord; // What is changed are texts within it.
  return { revision, value: stored, line: lineOf({ json: recordText(stored), revision }) };
}

function withPaths(
  value: Json,
  [name, ...rest]: readonly string[],
  moved: { readonly from: Id; readonly to: Id },
): Json {
  if (name !== undefined) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: withPaths(value[name]!, rest, moved) };
  }
  if (Array.isArray(value)) return value.map((one) => withPaths(one, [], moved));
  const isTheirs = typeof value === "string" && value.startsWith(`${moved.from}/`);
  return isTheirs ? `${moved.to}${value.slice(moved.from.length)}` : value;
}
