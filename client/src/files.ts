import { browser, type UploadRequest } from "./browser.ts";
import { CorbelError } from "./errors.ts";
import { pause } from "./pause.ts";
import type { Transport } from "./transport.ts";

interface UploadOptions {
  readonly filename?: string;
  readonly visibility?: string;
  readonly signal?: AbortSignal;
  onProgress?(sent: number, size: number): void;
}

const TUS = { "tus-resumable": "1.0.0" };
const PAUSE_MS_MAX = 16_000;
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
  readonly #fetch: typeof fetch;

  constructor(transport: Transport, fetcher: typeof fetch) {
    this.#transport = transport;
    this.#fetch = fetcher;
  }

  async upload(file: Blob, options: UploadOptions = {}) {
    const { signal, visibility, onProgress } = options;
    const filename = options.filename ?? (file as File).name ?? "file";
    const { size } = file;
    const contentType = file.type || "application/octet-stream";
    const { filePath, resumableUrl } = await this.#ask("request", {
      filename,
      contentType,
      size,
      visibility,
    }, signal);
    try {
      await this.#send(file, resumableUrl, {
        signal,
        told: (sent) => onProgress?.(Math.min(sent, size), size),
      });
      const { path, url, visibility: given } = await this.#confirm({ filePath, size }, signal);
      return { path, url, visibility: given };
    } catch (error) {
      // Or it expires.
      this.#fetch(resumableUrl, { method: "DELETE", headers: TUS }).catch(() => {});
      throw error;
    }
  }

  sign(path: string, { seconds, signal }: { seconds?: number; signal?: AbortSignal } = {}) {
    const body = { path, seconds };
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
    { signal, told }: { signal: AbortSignal | undefined; told(sent: number): void },
  ): Promise<void> {
    for (let arrived = 0, failures = 0; arrived < file.size;) {
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
    const abort = () => {
      request.abort();
      reject(signal!.reason);
    };
    const end = (settle: () => void) => {
      signal?.removeEventListener("abort", abort);
      settle();
    };
    request.upload.onprogress = ({ loaded }) => told(loaded);
    request.onload = () =>
      end(() => request.status < 300 ? resolve() : reject(failure(request.status)));
    request.onerror = () => end(() => reject(failure(0)));
    request.open("PATCH", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    signal?.addEventListener("abort", abort, { once: true });
    request.send(rest);
  });
}
