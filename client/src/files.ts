import { browser } from "./browser.ts";
import { notify } from "./callbacks.ts";
import type { CorbelError } from "./errors.ts";
import { keepUpload, keptUpload } from "./kept_uploads.ts";
import { queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Transport } from "./transport.ts";
import { type AskedFile, isFinal, UploadSteps } from "./upload_steps.ts";

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
    const asked = {
      filename: options.filename ?? (file as File).name ?? "file",
      contentType: file.type || "application/octet-stream",
      size: file.size,
      visibility: options.visibility,
    };
    await this.#session.settled();
    const id = this.#idOf(file, asked);
    const locks = browser.navigator?.locks;
    if (id === null || !locks) return await this.#upload(file, asked, { ...options, id: null });
    // The same file once more at the same time is an upload of its own, not the same one.
    return await locks.request(
      id,
      { ifAvailable: true },
      (lock) => this.#upload(file, asked, { ...options, id: lock && id }),
    );
  }

  /** Names an upload that another page may go on with: the same file of the same user. */
  #idOf(file: Blob, asked: AskedFile): string | null {
    const { usesCookie, user, name } = this.#session;
    const { lastModified } = file as File;
    if (!usesCookie || user === null || lastModified === undefined) return null;
    return JSON.stringify([name, user._id, lastModified, asked]);
  }

  /** @param options `id` is null for what no other page goes on with. */
  async #upload(file: Blob, asked: AskedFile, options: UploadOptions & { id: string | null }) {
    const { id, signal, onProgress } = options;
    const { size } = asked;
    const { filePath, resumableUrl, arrived } = await this.#goOn(id, signal) ??
      await this.#begin(id, asked, signal);
    let isOver = true;
    try {
      await this.#steps.send(file, resumableUrl, {
        arrived,
        signal,
        told: (sent) => notify(() => onProgress?.(Math.min(sent, size), size)),
      });
      const { path, url, visibility } = await this.#steps.confirm({ filePath, size }, signal);
      return { path, url, visibility };
    } catch (error) {
      isOver = id === null || signal?.aborted === true || isFinal((error as CorbelError).status);
      if (isOver) this.#steps.cancel(resumableUrl);
      throw error;
    } finally {
      if (id !== null && isOver) keepUpload(id, null);
    }
  }

  async #begin(id: string | null, asked: AskedFile, signal: AbortSignal | undefined) {
    const { filePath, resumableUrl } = await this.#steps.request(asked, signal);
    if (id !== null) keepUpload(id, { filePath, resumableUrl });
    return { filePath, resumableUrl, arrived: 0 };
  }

  /** Null where nothing was begun, or what was is over. */
  async #goOn(id: string | null, signal: AbortSignal | undefined) {
    const begun = id === null ? null : keptUpload(id);
    if (begun === null) return null;
    try {
      return { ...begun, arrived: await this.#steps.arrived(begun.resumableUrl, signal) ?? 0 };
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
