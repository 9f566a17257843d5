import { browser } from "./browser.ts";
import { notify } from "./callbacks.ts";
import type { CorbelError } from "./errors.ts";
import { findBegunUpload, storeBegunUpload } from "./begun_uploads.ts";
import { queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Transport } from "./transport.ts";
import { isFinal, type RequestedFile, UploadSteps } from "./upload_steps.ts";

interface UploadOptions {
  readonly filename?: string;
  readonly visibility?: string;
  readonly signal?: AbortSignal;
  onProgress?(sent: number, size: number): void;
}

export class Files {
  readonly #transport: Transport;
  readonly #session: SessionKeeper;
  readonly #steps: UploadSteps;

  constructor(transport: Transport, session: SessionKeeper, fetcher: typeof fetch) {
    this.#transport = transport;
    this.#session = session;
    this.#steps = new UploadSteps(transport, fetcher, "/api/storage");
  }

  async upload(file: Blob, options: UploadOptions = {}) {
    const requested = {
      filename: options.filename ?? (file as File).name ?? "file",
      contentType: file.type || "application/octet-stream",
      size: file.size,
      visibility: options.visibility,
    };
    await this.#session.waitForRenewal();
    const id = this.#resumeId(file, requested);
    const locks = browser.navigator?.locks;
    if (id === null || !locks) return await this.#upload(file, requested, { ...options, id: null });
    // A concurrent upload of the same file is separate.
    return await locks.request(
      id,
      { ifAvailable: true },
      (lock) => this.#upload(file, requested, { ...options, id: lock && id }),
    );
  }

  /** Returns a name by which a later page resumes the upload; null if it cannot be resumed. */
  #resumeId(file: Blob, asked: RequestedFile): string | null {
    const { usesCookie, user, name } = this.#session;
    const { lastModified } = file as File;
    if (!usesCookie || user === null || lastModified === undefined) return null;
    return JSON.stringify([name, user._id, lastModified, asked]);
  }

  /** @param options `id` is null if no later page can resume the upload. */
  async #upload(file: Blob, asked: RequestedFile, options: UploadOptions & { id: string | null }) {
    const { id, signal, onProgress } = options;
    const { size } = asked;
    const { filePath, resumableUrl, arrived } = await this.#resume(id, signal) ??
      await this.#begin(id, asked, signal);
    let isOver = true;
    try {
      await this.#steps.send(file, resumableUrl, {
        arrived,
        signal,
        onProgress: (sent) => notify(() => onProgress?.(Math.min(sent, size), size)),
      });
      const { path, url, visibility } = await this.#steps.confirm({ filePath, size }, signal);
      return { path, url, visibility };
    } catch (error) {
      isOver = id === null || signal?.aborted === true || isFinal((error as CorbelError).status);
      if (isOver) this.#steps.cancel(resumableUrl);
      throw error;
    } finally {
      if (id !== null && isOver) storeBegunUpload(id, null);
    }
  }

  async #begin(id: string | null, asked: RequestedFile, signal: AbortSignal | undefined) {
    const { filePath, resumableUrl } = await this.#steps.request(asked, signal);
    if (id !== null) storeBegunUpload(id, { filePath, resumableUrl });
    return { filePath, resumableUrl, arrived: 0 };
  }

  /** Resolves to an upload that an earlier page began; null if there is none or it has ended. */
  async #resume(id: string | null, signal: AbortSignal | undefined) {
    const upload = id === null ? null : findBegunUpload(id);
    if (upload === null) return null;
    try {
      return { ...upload, arrived: await this.#steps.arrived(upload.resumableUrl, signal) ?? 0 };
    } catch {
      return null;
    }
  }

  async list({ signal, ...query }: { limit?: number; cursor?: string; signal?: AbortSignal } = {}) {
    const path = "/api/storage/files";
    return await this.#transport.data({ path, query: queryOf(query), signal });
  }

  sign(path: string, { seconds, signal }: { seconds?: number; signal?: AbortSignal } = {}) {
    const body = { path, expiresIn: seconds };
    return this.#transport.data({ method: "POST", path: "/api/storage/sign", body, signal });
  }

  async delete(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#transport.data({
      method: "DELETE",
      path: "/api/storage/file",
      body: { path },
      signal,
    });
  }
}
