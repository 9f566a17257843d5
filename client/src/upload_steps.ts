import { browser, type UploadRequest } from "./browser.ts";
import { CorbelError } from "./errors.ts";
import type { BegunUpload } from "./begun_uploads.ts";
import { pause } from "./pause.ts";
import type { Transport } from "./transport.ts";

export interface RequestedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly visibility: string | undefined;
}

/** A file that is read in pieces while it is sent. */
export interface SlicedFile extends Pick<Blob, "size" | "slice"> {
  /** Maximum bytes of a piece; all of the file if left out. */
  readonly pieceBytes?: number;
}

const TUS = { "tus-resumable": "1.0.0" };
const PAUSE_MS_MAX = 16_000;
const OFFLINE_POLL_MS = 500;
/** Number of consecutive tries without progress. */
const TRIES = 8;

/** Whether a status ends an upload. No answer (0) and temporary conflicts do not. */
export const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 429, 460].includes(status);

const uploadError = (status: number, cause?: unknown) =>
  new CorbelError({
    code: status === 0 ? "NETWORK" : "UPLOAD_FAILED",
    message: status === 0 ? "The connection was lost." : `The upload was refused with ${status}.`,
    status,
    cause,
  });

/** The steps of an upload: request, send and confirm. */
export class UploadSteps {
  readonly #transport: Transport;
  readonly #fetch: typeof fetch;
  readonly #base: string;

  /** @param base Path of the operations on files. */
  constructor(transport: Transport, fetcher: typeof fetch, base: string) {
    this.#transport = transport;
    this.#fetch = fetcher;
    this.#base = base;
  }

  request(asked: RequestedFile, signal?: AbortSignal): Promise<BegunUpload> {
    return this.#callStep("request", asked, signal);
  }

  /** Cancels an upload. If that fails, the upload expires. */
  cancel(url: string): void {
    this.#fetch(url, { method: "DELETE", headers: TUS }).catch(() => {});
  }

  // deno-lint-ignore no-explicit-any -- Callers know the type of the answer.
  #callStep(step: string, body: object, signal: AbortSignal | undefined): Promise<any> {
    const path = `${this.#base}/upload-${step}`;
    const isRepeatable = step === "confirm";
    return this.#transport.data({ method: "POST", path, body, signal, isRepeatable });
  }

  /** Confirms an upload, with retries because a bucket may not show the file immediately. */
  async confirm(body: object, signal?: AbortSignal) {
    for (let tries = 1;; tries++) {
      try {
        return await this.#callStep("confirm", body, signal);
      } catch (error) {
        const isEarly = error instanceof CorbelError && error.code === "UPLOAD_NOT_READY";
        if (!isEarly || tries === TRIES) throw error;
        await pause(250 * 2 ** tries, signal);
      }
    }
  }

  /** Sends a file. After a lost connection, continues after the bytes that have arrived. */
  async send(
    file: SlicedFile,
    url: string,
    { arrived, signal, onProgress }: {
      arrived: number;
      signal?: AbortSignal | undefined;
      onProgress?(sent: number): void;
    },
  ): Promise<void> {
    for (let failures = 0; arrived < file.size;) {
      try {
        const piece = file.slice(arrived, arrived + (file.pieceBytes ?? file.size));
        await this.#sendPiece(piece, {
          url,
          arrived,
          signal,
          onProgress: (sent) => onProgress?.(arrived + sent),
        });
        arrived += piece.size;
      } catch (error) {
        signal?.throwIfAborted();
        const { status } = error as CorbelError;
        if (isFinal(status) || ++failures > TRIES) throw error;
        await pause(Math.min(500 * 2 ** failures, PAUSE_MS_MAX), signal);
        while (browser.navigator?.onLine === false) await pause(OFFLINE_POLL_MS, signal);
        const known = await this.arrived(url, signal);
        if (known !== null && known > arrived) failures = 0;
        arrived = known ?? arrived;
      }
      onProgress?.(arrived);
    }
  }

  /** Resolves to the number of bytes that have arrived; null if it is unknown at the moment. */
  async arrived(url: string, signal?: AbortSignal): Promise<number | null> {
    const answer = await this.#fetch(url, {
      method: "HEAD",
      headers: TUS,
      cache: "no-store",
      ...(signal && { signal }),
    }).catch(() => null);
    if (answer === null || !answer.ok) {
      if (answer !== null && isFinal(answer.status)) throw uploadError(answer.status);
      return null;
    }
    return Number(answer.headers.get("upload-offset"));
  }

  async #sendPiece(
    piece: Blob,
    { url, arrived, signal, onProgress }: {
      url: string;
      arrived: number;
      signal: AbortSignal | undefined;
      onProgress(sent: number): void;
    },
  ): Promise<void> {
    const headers = {
      ...TUS,
      "upload-offset": String(arrived),
      "content-type": "application/offset+octet-stream",
    };
    const { XMLHttpRequest } = browser;
    if (XMLHttpRequest !== undefined) {
      return await sendByXhr(new XMLHttpRequest(), { url, headers, piece, signal, onProgress });
    }
    const init = { method: "PATCH", headers, body: piece, ...(signal && { signal }) };
    const answer = await this.#fetch(url, init).catch((cause) => {
      throw uploadError(0, cause);
    });
    await answer.body?.cancel();
    if (!answer.ok) throw uploadError(answer.status);
  }
}

function sendByXhr(
  request: UploadRequest,
  { url, headers, piece, signal, onProgress }: {
    url: string;
    headers: Readonly<Record<string, string>>;
    piece: Blob;
    signal: AbortSignal | undefined;
    onProgress(sent: number): void;
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
    // Browsers detect a lost connection only after minutes.
    const lose = () => {
      request.abort();
      end(() => reject(uploadError(0)));
    };
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () =>
      end(() => request.status < 300 ? resolve() : reject(uploadError(request.status)));
    request.onerror = () => end(() => reject(uploadError(0)));
    request.open("PATCH", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    signal?.addEventListener("abort", abort);
    browser.addEventListener?.("offline", lose);
    request.send(piece);
  });
}
