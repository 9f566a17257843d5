import { BlobsUnavailable } from "../../files/blobs.ts";
import { addSums, NOTHING, plus } from "../../files/ledger.ts";
import type { StorageTarget } from "../../files/stores.ts";
import {
  findUpload,
  piecedUpload,
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "../../files/uploads.ts";
import type { Services } from "../../services.ts";
import { eq } from "../../store/filter.ts";
import { hashOf } from "./check_archive.ts";
import { archivedFile, contentOf, nameOf } from "./export_project.ts";
import { type ArchivedFile, fileLine } from "./format.ts";
import type { ImportState } from "./import_state.ts";
import { refuse } from "./reader.ts";

type FileServices = Pick<Services, "engine" | "blobStores">;

interface ImportedFile {
  readonly name: string;
  readonly row: ArchivedFile;
  readonly content: ReadableStream<Uint8Array>;
}

/** Puts files in their places, and into the ledger once they lie there whole. */
export class FileImport {
  readonly #services: FileServices;
  readonly #state: ImportState;
  readonly #target: StorageTarget;

  private constructor(services: FileServices, state: ImportState, target: StorageTarget) {
    this.#services = services;
    this.#state = state;
    this.#target = target;
  }

  static async begin(services: FileServices, state: ImportState): Promise<FileImport> {
    const { projectId } = state;
    const target = await services.blobStores.current(projectId);
    const fresh = { _id: projectId, ...NOTHING, target: target.name };
    await services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
      .upsert(eq("_id", projectId), {}, fresh);
    return new FileImport(services, state, target);
  }

  /** Passes over one that is there already, from an import that was broken off. */
  async add({ name, row, content }: ImportedFile): Promise<void> {
    const { projectId } = this.#state;
    const path = `${projectId}/${name}`;
    if (await findUpload(this.#services, projectId, path) !== null) return await content.cancel();
    const upload: UploadRecord = {
      ...row,
      path,
      state: "confirmed",
      claim: null,
      claimedUntil: null,
      target: this.#target.name,
      expiresAt: null,
    };
    await this.#put(upload, content);
    await this.#services.engine.transaction(projectId, async (tx) => {
      await tx.records<UploadRecord>(UPLOADS).insert(upload);
      await addSums(tx, projectId, plus(NOTHING, upload));
    });
  }

  async #put(row: UploadRecord, content: ReadableStream<Uint8Array>): Promise<void> {
    const { pieces } = this.#target.blobs;
    const upload = piecedUpload(row);
    const name = await pieces.begin(upload);
    {
      await using writer = await pieces.goOn(upload, { name, arrived: 0 });
      for await (const chunk of content) {
        await writer.write(chunk);
        this.#state.assertHeld();
      }
      await writer.keep(() => Promise.resolve());
    }
    const stored = await pieces.join(upload, name);
    await pieces.remove(row.path);
    if (stored?.bytes !== row.bytes) {
      throw new BlobsUnavailable(
        `The file store did not keep ${row.path}: import it again to go on`,
      );
    }
  }
}

/** The hash of all files that a project has now, read from their store. */
export async function hashFiles(
  services: FileServices,
  state: ImportState,
  add: (line: string) => void,
): Promise<void> {
  const { projectId } = state;
  await services.engine.snapshot(projectId, async (snapshot) => {
    for await (const page of snapshot.pages<UploadRecord>(UPLOADS)) {
      for (const { value: row } of page) {
        const content = await contentOf(services, projectId, row);
        if (content === null) throw refuse(`The file store has lost ${row.path}.`);
        add(fileLine(nameOf(row), archivedFile(row), await hashOf(content)));
        state.assertHeld();
      }
    }
  });
}
