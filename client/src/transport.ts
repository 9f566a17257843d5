import type { QueryWarning } from "../client.d.ts";
import { CorbelError, envelopeOf, errorOf } from "./errors.ts";
import { toJson } from "./json.ts";
import { pause } from "./pause.ts";

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether repeating the request is safe. Default: only for `GET`. */
  readonly isRepeatable?: boolean;
  /** Whether the request is about the session: it sends the cookie and waits for no token. */
  readonly isOfSession?: boolean;
}

interface SentCall extends Call {
  readonly body: string | undefined;
}

export interface TokenSource {
  /** Resolves to the access token, renewed before it expires; null if no user is signed in. */
  token(): Promise<string | null>;
  /** Renews a token that the server refused. */
  renew(refused: string): Promise<void>;
}

const TRIES_MAX = 4;
const RETRY_SECONDS_MAX = 30;
const PRINTED_MAX = 100;
/** Codes of requests that were refused before they had any effect. */
const REFUSED_EARLY = ["SERVER_BUSY", "STOPPING", "RATE_LIMITED"];

const retryPauseMs = ({ retryAfter }: CorbelError, tries: number): number =>
  Math.max((retryAfter ?? 0) * 1000, 250 * 2 ** tries) * (1 + Math.random() / 2);

/** Sends requests to Corbel. Repeats them if that is safe, and with a new token after an expiry. */
export class Transport {
  readonly #url: string;
  /** API key; empty if an account calls with its own token. */
  readonly key: string;
  readonly #fetch: typeof fetch;
  /** Whether the server runs on this machine, and so only developers see the console. */
  readonly #isLocal: boolean;
  readonly #printed = new Set<string>();
  tokens: TokenSource = { token: () => Promise.resolve(null), renew: () => Promise.resolve() };

  constructor(url: string, key: string, fetcher: typeof fetch) {
    this.#url = url;
    this.key = key;
    this.#fetch = fetcher;
    this.#isLocal = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(url);
  }

  /** Resolves to `data` of the answer. Throws {@linkcode CorbelError} or the signal's reason. */
  // deno-lint-ignore no-explicit-any -- `client.d.ts` declares it.
  async data(call: Call): Promise<any> {
    return (await this.answer(call)).data;
  }

  // deno-lint-ignore no-explicit-any -- See above.
  async answer(call: Call): Promise<{ data: any; warnings: QueryWarning[]; etag: string | null }> {
    const { data, warnings = [], etag } = await this.#request(call, envelopeOf);
    if (this.#isLocal) this.#print(call.path, warnings);
    return { data, warnings, etag };
  }

  /** Prints each warning once, because a page may repeat a request with every keystroke. */
  #print(path: string, warnings: readonly QueryWarning[]): void {
    for (const { message } of warnings) {
      const text = `${path}: ${message}`;
      if (this.#printed.has(text) || this.#printed.size === PRINTED_MAX) continue;
      this.#printed.add(text);
      console.warn(text);
    }
  }

  /** Resolves to a successful response with an unread body. */
  open(call: Call): Promise<Response> {
    return this.#request(call, (response) => Promise.resolve(response));
  }

  /** @param read Reads a successful response. If it throws, the request counts as unanswered. */
  async #request<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const { method = "GET", signal, isRepeatable = method === "GET" } = call;
    const body = call.body === undefined
      ? undefined
      : toJson(call.body, "body", { mayLeaveOut: true });
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
        error = cause instanceof CorbelError ? cause : this.#networkError(cause);
      }
      if (error.code === "ACCESS_TOKEN_INVALID" && token !== null && !isRenewed) {
        isRenewed = true;
        await this.tokens.renew(token);
        continue;
      }
      const isTemporary = [0, 502, 503, 504].includes(error.status);
      const mayRepeat = REFUSED_EARLY.includes(error.code) || (isRepeatable && isTemporary);
      if (!mayRepeat || tries === TRIES_MAX || (error.retryAfter ?? 0) > RETRY_SECONDS_MAX) {
        throw error;
      }
      await pause(retryPauseMs(error, tries), signal);
    }
  }

  #networkError(cause: unknown): CorbelError {
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
