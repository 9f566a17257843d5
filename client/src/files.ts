import { browser, type UploadRequest } from "./browser.ts";
import { CorbelError } from "./errors.ts";
import { type BegunUpload, keepUpload, keptUpload } from "./kept_uploads.ts";
import { pause } from "./pause.ts";
import { queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Transport } from "./transport.ts";

interface UploadOptions {
  readonly filename?: string;
  readonly visibility?: string;
  readonly signal?: AbortSignal;
  onProgress?(sent: number, size: number): void;
}

/** A file as it is asked for. */
interface Asked {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly visibility: string | undefined;
}

const TUS = { "tus-resumable": "1.0.0" };
const PAUSE_MS_MAX = 16_000;
const OFFLINE_LOOK_MS = 500;
/** How often without a byte that arrives. */
const TRIES = 8;

/** Refused for good; what has no answer is not, and neither is what is said to be too early. */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 429, 460].includes(status);

const failure = (status: number, cause?: unknown) =>
  new CorbelError({
    code: status === 0 ? "NETWORK" : "UPLOAD_FAILED",
    message: status === 0 ? "The connection was lost." : `The upload was refused with ${status}.`,
    status,
    cause,
  });

export class Files {
  readonly #transport: Transport;
  readonly #session: SessionKeeper;
  readonly #fetch: typeof fetch;

  constructor(transport: Transport, session: SessionKeeper, fetcher: typeof fetch) {
    this.#transport = transport;
    this.#session = session;
    this.#fetch = fetcher;
  }

  async upload(file: Blob, options: UploadOptions = {}) {
    const asked = {
      filename: options.filename ?? (file as File).name ?? "file",
      contentType: file.type || "application/octet-stream",
      size: file.size,
      visibility: options.visibility,
    };
    await this.#session.ready;
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
  #idOf(file: Blob, asked: Asked): string | null {
    const { usesCookie, user, name } = this.#session;
    const { lastModified } = file as File;
    if (!usesCookie || user === null || lastModified === undefined) return null;
    return JSON.stringify([name, user._id, lastModified, asked]);
  }

  /** @param options `id` is null for what no other page goes on with. */
  async #upload(file: Blob, asked: Asked, options: UploadOptions & { id: string | null }) {
    const { id, signal, onProgress } = options;
    const { size } = asked;
    const { filePath, resumableUrl, arrived } = await this.#goOn(id, signal) ??
      await this.#begin(id, asked, signal);
    let isOver = true;
    try {
      await this.#send(file, resumableUrl, {
        arrived,
        signal,
        told: (sent) => onProgress?.(Math.min(sent, size), size),
      });
      const { path, url, visibility } = await this.#confirm({ filePath, size }, signal);
      return { path, url, visibility };
    } catch (error) {
      isOver = id === null || signal?.aborted === true || isFinal((error as CorbelError).status);
      // Or it expires.
      if (isOver) this.#fetch(resumableUrl, { method: "DELETE", headers: TUS }).catch(() => {});
      throw error;
    } finally {
      if (id !== null && isOver) keepUpload(id, null);
    }
  }

  async #begin(id: string | null, asked: Asked, signal: AbortSignal | undefined) {
    const { filePath, resumableUrl }: BegunUpload = await this.#ask("request", asked, signal);
    if (id !== null) keepUpload(id, { filePath, resumableUrl });
    return { filePath, resumableUrl, arrived: 0 };
  }

  /** Null where nothing was begun, or what was is over. */
  async #goOn(id: string | null, signal: AbortSignal | undefined) {
    const begun = id === null ? null : keptUpload(id);
    if (begun === null) return null;
    try {
      return { ...begun, arrived: await this.#arrived(begun.resumableUrl, signal) ?? 0 };
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

  // deno-lint-ignore no-explicit-any -- Each caller knows what is answered.
  #ask(step: string, body: object, signal: AbortSignal | undefined): Promise<any> {
    const path = `/api/storage/upload-${step}`;
    const isRepeatable = step === "confirm";
    return this.#transport.data({ method: "POST", path, body, signal, isRepeatable });
  }

  /** A bucket may not have the file yet when it is asked for it. */
  async #confirm(body: object, signal: AbortSignal | undefined) {
    for (let tries = 1;; tries++) {
      try {
        return await this.#ask("confirm", body, signal);
      } catch (error) {
        const isEarly = error instanceof CorbelError && error.code === "UPLOAD_NOT_READY";
        if (!isEarly || tries === TRIES) throw error;
        await pause(250 * 2 ** tries, signal);
      }
    }
  }

  /** Goes on behind what has arrived, however often the connection is lost. */
  async #send(
    file: Blob,
    url: string,
    { arrived, signal, told }: {
      arrived: number;
      signal: AbortSignal | undefined;
      told(sent: number): void;
    },
  ): Promise<void> {
    for (let failures = 0; arrived < file.size;) {
      try {
        await this.#sendRest(file.slice(arrived), {
          url,
          arrived,
          signal,
          told: (sent) => told(arrived + sent),
        });
        arrived = file.size;
      } catch (error) {
        signal?.throwIfAborted();
        const { status } = error as CorbelError;
        if (isFinal(status) || ++failures > TRIES) throw error;
        await pause(Math.min(500 * 2 ** failures, PAUSE_MS_MAX), signal);
        while (browser.navigator?.onLine === false) await pause(OFFLINE_LOOK_MS, signal);
        const known = await this.#arrived(url, signal);
        if (known !== null && known > arrived) failures = 0;
        arrived = known ?? arrived;
      }
      told(arrived);
    }
  }

  /** Null where that cannot be told now. */
  async #arrived(url: string, signal: AbortSignal | undefined): Promise<number | null> {
    const answer = await this.#fetch(url, {
      method: "HEAD",
      headers: TUS,
      cache: "no-store",
      ...(signal && { signal }),
    }).catch(() => null);
    if (answer === null || !answer.ok) {
      if (answer !== null && isFinal(answer.status)) throw failure(answer.status);
      return null;
    }
    return Number(answer.headers.get("upload-offset"));
  }

  async #sendRest(
    rest: Blob,
    { url, arrived, signal, told }: {
      url: string;
      arrived: number;
      signal: AbortSignal | undefined;
      told(sent: number): void;
    },
  ): Promise<void> {
    const headers = {
      ...TUS,
      "upload-offset": String(arrived),
      "content-type": "application/offset+octet-stream",
    };
    const { XMLHttpRequest } = browser;
    if (XMLHttpRequest !== undefined) {
      return await sendWatched(new XMLHttpRequest(), { url, headers, rest, signal, told });
    }
    const init = { method: "PATCH", headers, body: rest, ...(signal && { signal }) };
    const answer = await this.#fetch(url, init).catch((cause) => {
      throw failure(0, cause);
    });
    await answer.body?.cancel();
    if (!answer.ok) throw failure(answer.status);
  }
}

function sendWatched(
  request: UploadRequest,
  { url, headers, rest, signal, told }: {
    url: string;
    headers: Readonly<Record<string, string>>;
    rest: Blob;
    signal: AbortSignal | undefined;
    told(sent: number): void;
  },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      signal?.removeEventListener("abort", abort);
      browser.removeEventListener?.("offline", lose);
      settle();
    };
    const abort = () => {
      request.abort();
      end(() => reject(signal!.reason));
    };
    // Browsers notice only after minutes that nothing is sent any more.
    const lose = () => {
      request.abort();
      end(() => reject(failure(0)));
    };
    request.upload.onprogress = ({ loaded }) => told(loaded);
    request.onload = () =>
      end(() => request.status < 300 ? resolve() : reject(failure(request.status)));
    request.onerror = () => end(() => reject(failure(0)));
    request.open("PATCH", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    signal?.addEventListener("abort", abort);
    browser.addEventListener?.("offline", lose);
    request.send(rest);
  });
}
