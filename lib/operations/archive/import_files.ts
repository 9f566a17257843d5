import { BlobsUnavailable } from "../../files/blobs.ts";
import { addRow, addSums, NO_SUMS } from "../../files/ledger.ts";
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
import { archivedName, openContent, toArchivedFile } from "./export_project.ts";
import { type ArchivedFile, fileLine } from "./format.ts";
import type { ImportState } from "./import_state.ts";
import { badArchive } from "./reader.ts";

type FileServices = Pick<Services, "engine" | "blobStores">;

interface ImportedFile {
  readonly name: string;
  readonly row: ArchivedFile;
  readonly content: ReadableStream<Uint8Array>;
}

/** Stores files, and adds each to the ledger when it is complete. */
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
    const target = await services.blobStores.currentTarget(projectId);
    const fresh = { _id: projectId, ...NO_SUMS, target: target.name };
    await services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
      .upsert(eq("_id", projectId), {}, fresh);
    return new FileImport(services, state, target);
  }

  /** Skips a file that an interrupted import has stored. */
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
    await this.#store(upload, content);
    await this.#services.engine.transaction(projectId, async (tx) => {
      await tx.records<UploadRecord>(UPLOADS).insert(upload);
      await addSums(tx, projectId, addRow(NO_SUMS, upload));
    });
  }

  async #store(row: UploadRecord, content: ReadableStream<Uint8Array>): Promise<void> {
    const { pieces } = this.#target.blobs;
    const upload = piecedUpload(row);
    const name = await pieces.begin(upload);
    {
      await using writer = await pieces.resume(upload, { name, arrived: 0 });
      for await (const chunk of content) {
        await writer.write(chunk);
        this.#state.assertHeld();
      }
      await writer.flush(() => Promise.resolve());
    }
    const stored = await pieces.join(upload, name);
    await pieces.remove(row.path);
    if (stored?.bytes !== row.bytes) {
      throw new BlobsUnavailable(
        `The file store did not store all of ${row.path}: import the archive again to continue`,
      );
    }
  }
}

/** @param add Called with the line of each file. */
export async function hashFiles(
  services: FileServices,
  state: ImportState,
  add: (line: string) => void,
): Promise<void> {
  const { projectId } = state;
  await services.engine.snapshot(projectId, async (snapshot) => {
    for await (const page of snapshot.pages<UploadRecord>(UPLOADS)) {
      for (const { value: row } of page) {
        const content = await openContent(services, projectId, row);
        if (content === null) throw badArchive(`The file store has lost ${row.path}.`);
        add(fileLine(archivedName(row), toArchivedFile(row), await hashOf(content)));
        state.assertHeld();
      }
    }
  });
}
