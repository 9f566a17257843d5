import { createHash } from "node:crypto";
import { quoted } from "../../text/input_text.ts";
import type { Json } from "../../store/port.ts";
import type { FullConfiguration, ProjectConfiguration } from "../project_configuration.ts";
import {
  collectionFolder,
  END,
  type End,
  fileLine,
  IDENTITIES_FOLDER,
  MANIFEST,
  type Manifest,
  type Part,
  SAVED_VIEWS,
  type SavedViews,
  USERS_FOLDER,
} from "./format.ts";
import type { Progress } from "./progress.ts";
import { type ArchivePart, badArchive, PartHash, readArchive } from "./reader.ts";
import { createRecordRules, type RecordRules } from "./record_rules.ts";

export type OpenArchive = () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;

/** Throws `INVALID_INPUT`. */
export type ReadConfiguration = (value: unknown) => ProjectConfiguration;

export interface CheckedArchive {
  readonly manifest: Manifest;
  readonly configuration: FullConfiguration;
  readonly views: SavedViews;
  /** Null if the archive has no secrets. */
  readonly sealedSecrets: Json;
  readonly end: End;
  readonly faults: Faults;
}

/** Number of faults with a description. */
const NAMED_MAX = 10;

/** Collects the records that cannot be stored. */
export class Faults {
  /** Number of faults by folder. */
  readonly counts: Record<string, number> = {};
  readonly named: string[] = [];

  add(folder: string, { _id }: { readonly _id: string }, why: string): void {
    this.counts[folder] = (this.counts[folder] ?? 0) + 1;
    if (this.named.length < NAMED_MAX) this.named.push(`${folder}, ${_id}: ${why}`);
  }

  get count(): number {
    return Object.values(this.counts).reduce((sum, one) => sum + one, 0);
  }
}

/**
 * Reads an archive to its end without writing anything, and collects the records that violate its
 * own definitions. Throws `INVALID_INPUT` for an archive that cannot be imported.
 */
export async function checkArchive(
  open: OpenArchive,
  { readConfiguration, progress }: {
    readonly readConfiguration: ReadConfiguration;
    readonly progress: Progress;
  },
): Promise<CheckedArchive> {
  const check = new ArchiveCheck(readConfiguration, progress);
  for await (const part of readArchive(await open())) await check.add(part);
  return check.finish();
}

class ArchiveCheck {
  readonly #read: ReadConfiguration;
  readonly #progress: Progress;
  readonly #faults = new Faults();
  readonly #parts = new Map<string, PartHash>();
  readonly #files = createHash("sha256");
  readonly #fileNames = new Set<string>();
  #fileBytes = 0;
  #rules: ReadonlyMap<string, RecordRules> = new Map();
  #folder = "";
  #manifest: Manifest | null = null;
  #configuration: FullConfiguration | null = null;
  #views: SavedViews = {};
  #sealedSecrets: Json = null;
  #end: End | null = null;

  constructor(read: ReadConfiguration, progress: Progress) {
    this.#read = read;
    this.#progress = progress;
  }

  async add(part: ArchivePart): Promise<void> {
    if ((this.#manifest === null) !== (part.kind === "manifest")) {
      throw badArchive(`${MANIFEST} must be the first entry of an archive, and appear once.`);
    }
    switch (part.kind) {
      case "manifest":
        this.#manifest = part.manifest;
        break;
      case "configuration":
        this.#configure(part.configuration);
        break;
      case "views":
        this.#addViews(part.views);
        break;
      case "secrets":
        this.#sealedSecrets = part.sealed;
        break;
      case "records":
        this.#addRecords(part);
        break;
      case "file":
        await this.#addFile(part);
        break;
      case "end":
        this.#end = part.end;
    }
  }

  finish(): CheckedArchive {
    const [manifest, configuration, end] = [this.#manifest!, this.#configuration, this.#end!];
    if (configuration === null) throw badArchive("The archive has no configuration.json.");
    this.#compare(end);
    return {
      manifest,
      configuration,
      views: this.#views,
      sealedSecrets: this.#sealedSecrets,
      end,
      faults: this.#faults,
    };
  }

  #configure(value: Json): void {
    const given = this.#read(value);
    const configuration: FullConfiguration = {
      settings: given.settings ?? {},
      userFields: given.userFields ?? [],
      collections: given.collections ?? [],
      mailTemplates: given.mailTemplates ?? [],
      webhooks: given.webhooks ?? [],
      providers: given.providers ?? [],
    };
    this.#configuration = configuration;
    this.#rules = createRecordRules(configuration);
    for (const folder of this.#rules.keys()) this.#parts.set(folder, new PartHash());
  }

  #addViews(views: SavedViews): void {
    for (const name of Object.keys(views)) {
      if (this.#rules.has(collectionFolder(name))) continue;
      throw badArchive(
        `${SAVED_VIEWS} has views of ${
          quoted(name)
        }, which the archive's configuration does not declare.`,
      );
    }
    this.#views = views;
  }

  #addRecords({ folder, records }: ArchivePart & { readonly kind: "records" }): void {
    const rules = this.#rules.get(folder);
    if (rules === undefined) {
      throw badArchive(
        `The archive has ${quoted(folder)}, which its configuration does not declare.`,
      );
    }
    const part = this.#parts.get(folder)!;
    if (folder !== this.#folder && part.count > 0) {
      throw badArchive(`The archive has records of ${folder} in two places.`);
    }
    this.#folder = folder;
    for (const record of records) {
      part.add(record.line);
      const fault = rules.faultOf(record);
      if (fault !== null) this.#faults.add(folder, record.value, fault);
    }
    this.#progress.forPart(`checking ${folder}`)(records.length);
  }

  async #addFile({ name, row, content }: ArchivePart & { readonly kind: "file" }): Promise<void> {
    if (this.#fileNames.has(name)) {
      throw badArchive(`The archive has the file ${quoted(name)} twice.`);
    }
    this.#fileNames.add(name);
    this.#files.update(fileLine(name, row, await hashOf(content)));
    this.#fileBytes += row.bytes;
    this.#progress.forPart("checking files")(1);
  }

  /** Throws `INVALID_INPUT` if the content differs from what the end says. */
  #compare(end: End): void {
    const expected: Record<string, Part | undefined> = {
      [USERS_FOLDER]: end.users,
      [IDENTITIES_FOLDER]: end.identities,
      ...Object.fromEntries(
        Object.entries(end.collections).map(([name, part]) => [collectionFolder(name), part]),
      ),
    };
    const files = {
      count: this.#fileNames.size,
      bytes: this.#fileBytes,
      sha256: this.#files.digest("hex"),
    };
    const found = new Map([...this.#parts].map(([folder, part]) => [folder, part.end()]));
    const different = [...new Set([...found.keys(), ...Object.keys(expected)])].filter((folder) => {
      const [actual, declared] = [found.get(folder), expected[folder]];
      return actual?.count !== declared?.count || actual?.sha256 !== declared?.sha256;
    });
    const { count, bytes, sha256 } = end.files;
    if (files.count !== count || files.bytes !== bytes || files.sha256 !== sha256) {
      different.push("files");
    }
    if (different.length === 0) return;
    throw badArchive(
      "The archive was altered or is damaged: its content differs from what is said by " +
        `${END} about ${different.join(", ")}.`,
    );
  }
}

/** Returns the SHA-256 in hexadecimal digits. */
export async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}
