import type { QueryWarning } from "../client.d.ts";
import { CorbelError, envelopeOf, errorOf } from "./errors.ts";
import { jsonOf } from "./json.ts";
import { pause } from "./pause.ts";

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether to ask twice does no more than to ask once; else only of `GET`. */
  readonly isRepeatable?: boolean;
  /** About the session itself: the cookie is sent, and no token is waited for. */
  readonly isOfSession?: boolean;
}

interface SentCall extends Call {
  /** As JSON. */
  readonly body: string | undefined;
}

/** Who the calls are made as. */
export interface TokenSource {
  /** Null where nobody is signed in. Renews a token that is about to expire. */
  token(): Promise<string | null>;
  /** Renews a token that was refused. */
  renew(refused: string): Promise<void>;
}

const TRIES = 4;
const RETRY_SECONDS_MAX = 30;
const PRINTED_MAX = 100;
/** Refused before anything was done. */
const NOT_BEGUN = ["SERVER_BUSY", "STOPPING", "RATE_LIMITED"];

const pauseBefore = ({ retryAfter }: CorbelError, tries: number): number =>
  Math.max((retryAfter ?? 0) * 1000, 250 * 2 ** tries) * (1 + Math.random() / 2);

/** Asks Corbel: again where that is safe, and with a new token where the old one has run out. */
export class Transport {
  readonly #url: string;
  /** Empty where an account calls, by a token of its own. */
  readonly key: string;
  readonly #fetch: typeof fetch;
  /** Whether the server runs on this machine, so that whoever sees the console is a developer. */
  readonly #isLocal: boolean;
  readonly #printed = new Set<string>();
  tokens: TokenSource = { token: () => Promise.resolve(null), renew: () => Promise.resolve() };

  constructor(url: string, key: string, fetcher: typeof fetch) {
    this.#url = url;
    this.key = key;
    this.#fetch = fetcher;
    this.#isLocal = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(url);
  }

  /** What `data` of the answer holds. Throws {@linkcode CorbelError}, and what the signal says. */
  // deno-lint-ignore no-explicit-any -- The types of the client say what it is.
  async data(call: Call): Promise<any> {
    return (await this.answer(call)).data;
  }

  // deno-lint-ignore no-explicit-any -- As above.
  async answer(call: Call): Promise<{ data: any; warnings: QueryWarning[]; etag: string | null }> {
    const { data, warnings = [], etag } = await this.#ask(call, envelopeOf);
    if (this.#isLocal) this.#print(call.path, warnings);
    return { data, warnings, etag };
  }

  /** Each once: a page may ask the same with every key that is pressed. */
  #print(path: string, warnings: readonly QueryWarning[]): void {
    for (const { message } of warnings) {
      const text = `${path}: ${message}`;
      if (this.#printed.has(text) || this.#printed.size === PRINTED_MAX) continue;
      this.#printed.add(text);
      console.warn(text);
    }
  }

  /** An answer that is a success, whose body is still to be read. */
  open(call: Call): Promise<Response> {
    return this.#ask(call, (response) => Promise.resolve(response));
  }

  /** @param read Reads a successful answer. If it throws, no answer has come. */
  async #ask<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const { method = "GET", signal, isRepeatable = method === "GET" } = call;
    const body = call.body === undefined
      ? undefined
      : jsonOf(call.body, "body", { mayLeaveOut: true });
    let isRenewed = false;
    for (let tries = 1;; tries++) {
      signal?.throwIfAborted();
      const token = call.isOfSession ? null : await this.tokens.token();
      let error: CorbelError;
      try {
        const response = await this.#send({ ...call, body }, token);
        if (response.ok) return await read(response);
        error = await errorOf(response);
      } catch (cause) {
        signal?.throwIfAborted();
        error = cause instanceof CorbelError ? cause : this.#lost(cause);
      }
      if (error.code === "ACCESS_TOKEN_INVALID" && token !== null && !isRenewed) {
        isRenewed = true;
        await this.tokens.renew(token);
        continue;
      }
      const isPassing = [0, 502, 503, 504].includes(error.status);
      const mayRepeat = NOT_BEGUN.includes(error.code) || (isRepeatable && isPassing);
      if (!mayRepeat || tries === TRIES || (error.retryAfter ?? 0) > RETRY_SECONDS_MAX) throw error;
      await pause(pauseBefore(error, tries), signal);
    }
  }

  #lost(cause: unknown): CorbelError {
    const message = `${new URL(this.#url).host} cannot be reached.`;
    return new CorbelError({ code: "NETWORK", message, cause });
  }

  address(path: string, query?: URLSearchParams): string {
    return this.#url + path + (query?.size ? `?${query}` : "");
  }

  #send(
    { method = "GET", path, query, body, headers, signal, isOfSession }: SentCall,
    token: string | null,
  ) {
    return this.#fetch(this.address(path, query), {
      method,
      headers: {
        ...(this.key !== "" && { "x-api-key": this.key }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(isOfSession && { credentials: "include" as const }),
    });
  }
}
