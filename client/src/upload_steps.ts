import { browser, type UploadRequest } from "./browser.ts";
import { CorbelError } from "./errors.ts";
import type { BegunUpload } from "./kept_uploads.ts";
import { pause } from "./pause.ts";
import type { Transport } from "./transport.ts";

/** A file as it is asked for. */
export interface AskedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly visibility: string | undefined;
}

/** What is read piece by piece as it is sent. */
export interface SlicedFile extends Pick<Blob, "size" | "slice"> {
  /** The most bytes that are sent at once; all if left out. */
  readonly pieceBytes?: number;
}

const TUS = { "tus-resumable": "1.0.0" };
const PAUSE_MS_MAX = 16_000;
const OFFLINE_LOOK_MS = 500;
/** How often without a byte that arrives. */
const TRIES = 8;

/** Refused for good; what has no answer is not, and neither is what is said to be too early. */
export const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 423, 429, 460].includes(status);

const failure = (status: number, cause?: unknown) =>
  new CorbelError({
    code: status === 0 ? "NETWORK" : "UPLOAD_FAILED",
    message: status === 0 ? "The connection was lost." : `The upload was refused with ${status}.`,
    status,
    cause,
  });

/** What an upload is made of: it is asked for, sent, and confirmed. */
export class UploadSteps {
  readonly #transport: Transport;
  readonly #fetch: typeof fetch;
  readonly #base: string;

  /** @param base Where the operations of files are. */
  constructor(transport: Transport, fetcher: typeof fetch, base: string) {
    this.#transport = transport;
    this.#fetch = fetcher;
    this.#base = base;
  }

  request(asked: AskedFile, signal?: AbortSignal): Promise<BegunUpload> {
    return this.#ask("request", asked, signal);
  }

  /** Or it expires. */
  cancel(url: string): void {
    this.#fetch(url, { method: "DELETE", headers: TUS }).catch(() => {});
  }

  // deno-lint-ignore no-explicit-any -- Each caller knows what is answered.
  #ask(step: string, body: object, signal: AbortSignal | undefined): Promise<any> {
    const path = `${this.#base}/upload-${step}`;
    const isRepeatable = step === "confirm";
    return this.#transport.data({ method: "POST", path, body, signal, isRepeatable });
  }

  /** A bucket may not have the file yet when it is asked for it. */
  async confirm(body: object, signal?: AbortSignal) {
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
  async send(
    file: SlicedFile,
    url: string,
    { arrived, signal, told }: {
      arrived: number;
      signal?: AbortSignal | undefined;
      told?(sent: number): void;
    },
  ): Promise<void> {
    for (let failures = 0; arrived < file.size;) {
      try {
        const piece = file.slice(arrived, arrived + (file.pieceBytes ?? file.size));
        await this.#sendPiece(piece, {
          url,
          arrived,
          signal,
          told: (sent) => told?.(arrived + sent),
        });
        arrived += piece.size;
      } catch (error) {
        signal?.throwIfAborted();
        const { status } = error as CorbelError;
        if (isFinal(status) || ++failures > TRIES) throw error;
        await pause(Math.min(500 * 2 ** failures, PAUSE_MS_MAX), signal);
        while (browser.navigator?.onLine === false) await pause(OFFLINE_LOOK_MS, signal);
        const known = await this.arrived(url, signal);
        if (known !== null && known > arrived) failures = 0;
        arrived = known ?? arrived;
      }
      told?.(arrived);
    }
  }

  /** Null where that cannot be told now. */
  async arrived(url: string, signal?: AbortSignal): Promise<number | null> {
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

  async #sendPiece(
    piece: Blob,
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
      return await sendWatched(new XMLHttpRequest(), { url, headers, piece, signal, told });
    }
    const init = { method: "PATCH", headers, body: piece, ...(signal && { signal }) };
    const answer = await this.#fetch(url, init).catch((cause) => {
      throw failure(0, cause);
    });
    await answer.body?.cancel();
    if (!answer.ok) throw failure(answer.status);
  }
}

function sendWatched(
  request: UploadRequest,
  { url, headers, piece, signal, told }: {
    url: string;
    headers: Readonly<Record<string, string>>;
    piece: Blob;
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
    request.send(piece);
  });
}
