import { createHash } from "node:crypto";
import { shown } from "../../text/input_text.ts";
import type { Json } from "../../store/port.ts";
import type { ProjectConfiguration, WholeConfiguration } from "../project_configuration.ts";
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
import { type ArchivePart, PartHash, readArchive, refuse } from "./reader.ts";
import { type RecordRules, rulesUnder } from "./record_rules.ts";

/** Opens an archive; each call from its beginning. */
export type OpenArchive = () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;

/** Reads the configuration of an archive as the file of a push is read. Throws `INVALID_INPUT`. */
export type ReadConfiguration = (value: unknown) => ProjectConfiguration;

export interface CheckedArchive {
  readonly manifest: Manifest;
  readonly configuration: WholeConfiguration;
  readonly views: SavedViews;
  /** Null where no secrets are in it. */
  readonly sealedSecrets: Json;
  readonly end: End;
  readonly faults: Faults;
}

/** How many faults are named. */
const NAMED_MAX = 10;

/** Records that cannot be stored. */
export class Faults {
  /** By folder, how many. */
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
 * Reads an archive to its end and writes nothing: whether it is whole, as its end says, and which
 * records do not fit its own definitions. Throws `INVALID_INPUT` for one that cannot be imported.
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
  return check.checked();
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
  #configuration: WholeConfiguration | null = null;
  #views: SavedViews = {};
  #sealedSecrets: Json = null;
  #end: End | null = null;

  constructor(read: ReadConfiguration, progress: Progress) {
    this.#read = read;
    this.#progress = progress;
  }

  async add(part: ArchivePart): Promise<void> {
    if ((this.#manifest === null) !== (part.kind === "manifest")) {
      throw refuse(`${MANIFEST} must stand first in an archive, and once.`);
    }
    switch (part.kind) {
      case "manifest":
        this.#manifest = part.manifest;
        break;
      case "configuration":
        this.#configure(part.configuration);
        break;
      case "views":
        this.#saved(part.views);
        break;
      case "secrets":
        this.#sealedSecrets = part.sealed;
        break;
      case "records":
        this.#records(part);
        break;
      case "file":
        await this.#file(part);
        break;
      case "end":
        this.#end = part.end;
    }
  }

  checked(): CheckedArchive {
    const [manifest, configuration, end] = [this.#manifest!, this.#configuration, this.#end!];
    if (configuration === null) throw refuse("The archive has no configuration.json.");
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
    const whole: WholeConfiguration = {
      settings: given.settings ?? {},
      userFields: given.userFields ?? [],
      collections: given.collections ?? [],
      mailTemplates: given.mailTemplates ?? [],
      webhooks: given.webhooks ?? [],
      providers: given.providers ?? [],
    };
    this.#configuration = whole;
    this.#rules = rulesUnder(whole);
    for (const folder of this.#rules.keys()) this.#parts.set(folder, new PartHash());
  }

  #saved(views: SavedViews): void {
    for (const name of Object.keys(views)) {
      if (this.#rules.has(collectionFolder(name))) continue;
      throw refuse(
        `${SAVED_VIEWS} is about ${
          shown(name)
        }, which the archive's configuration does not declare.`,
      );
    }
    this.#views = views;
  }

  #records({ folder, records }: ArchivePart & { readonly kind: "records" }): void {
    const rules = this.#rules.get(folder);
    if (rules === undefined) {
      throw refuse(`The archive has ${shown(folder)}, which its configuration does not declare.`);
    }
    const part = this.#parts.get(folder)!;
    if (folder !== this.#folder && part.count > 0) {
      throw refuse(`The archive has records of ${folder} in two places.`);
    }
    this.#folder = folder;
    for (const record of records) {
      part.add(record.line);
      const fault = rules.faultOf(record);
      if (fault !== null) this.#faults.add(folder, record.value, fault);
    }
    this.#progress.of(`checking ${folder}`)(records.length);
  }

  async #file({ name, row, content }: ArchivePart & { readonly kind: "file" }): Promise<void> {
    if (this.#fileNames.has(name)) throw refuse(`The archive has the file ${shown(name)} twice.`);
    this.#fileNames.add(name);
    this.#files.update(fileLine(name, row, await hashOf(content)));
    this.#fileBytes += row.bytes;
    this.#progress.of("checking files")(1);
  }

  /** That all is there which the archive's end tells of, and nothing else. */
  #compare(end: End): void {
    const told: Record<string, Part | undefined> = {
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
    const different = [...new Set([...found.keys(), ...Object.keys(told)])].filter((folder) => {
      const [is, said] = [found.get(folder), told[folder]];
      return is?.count !== said?.count || is?.sha256 !== said?.sha256;
    });
    const { count, bytes, sha256 } = end.files;
    if (files.count !== count || files.bytes !== bytes || files.sha256 !== sha256) {
      different.push("files");
    }
    if (different.length === 0) return;
    throw refuse(
      `The archive was altered, or is damaged: ${END} tells something else of ${
        different.join(", ")
      } than is in it.`,
    );
  }
}

/** Of a stream's bytes, in hexadecimal digits; reads it to its end. */
export async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}
