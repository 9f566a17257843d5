import { readAllBytes, ReadFailed } from "../http/bounded_reader.ts";
import { PROVIDER_ANSWER_BYTES_MAX, PROVIDER_TIMEOUT_MS } from "../limits.ts";
import { parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";

/**
 * HTTP client of one sign-in. Addresses come from configuration or a configured issuer, never from
 * a user. Redirects are not followed. Response sizes and the total time are limited.
 */
export interface ProviderHttp {
  /** Sends a request. Throws {@linkcode SignInFailed} without a complete response. */
  fetch(url: string, init?: ProviderRequest): Promise<Response>;
  /** Waits for shared work until the time limit. Throws {@linkcode SignInFailed}. */
  wait<T>(join: () => Promise<T>): Promise<T>;
}

export interface ProviderRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/** Some providers refuse requests without a User-Agent. */
const USER_AGENT = "Corbel";

/** Responds to requests instead of the network. */
type RequestHandler = (url: string, request: ProviderRequest) => Promise<Response>;

/** Runs `work` with a client whose requests must all complete within the time limit. */
export async function withinTimeLimit<T>(
  work: (http: ProviderHttp) => Promise<T>,
  handler?: RequestHandler,
): Promise<T> {
  const late = new AbortController();
  const expired = Promise.withResolvers<never>();
  expired.promise.catch(() => {}); // Prevents an unhandled rejection.
  const timer = setTimeout(() => {
    late.abort();
    expired.reject(new SignInFailed("slow"));
  }, PROVIDER_TIMEOUT_MS);
  try {
    return await work({
      async fetch(url, init = {}) {
        try {
          return await (handler?.(url, init) ?? fetchBuffered(url, init, late.signal));
        } catch (error) {
          if (error instanceof SignInFailed) throw error;
          throw new SignInFailed(late.signal.aborted ? "slow" : "unavailable", "unreachable");
        }
      },
      async wait(join) {
        if (late.signal.aborted) throw new SignInFailed("slow");
        return await Promise.race([join(), expired.promise]);
      },
    });
  } finally {
    clearTimeout(timer);
    // Aborts concurrent requests that are still running after one has failed.
    late.abort();
  }
}

async function fetchBuffered(
  url: string,
  { method = "GET", headers, body }: ProviderRequest,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, "user-agent": USER_AGENT },
    ...(body !== undefined && { body }),
    redirect: "manual",
    signal,
  });
  const bytes = response.body === null
    ? new Uint8Array()
    : await readAllBytes(response.body, { bytesMax: PROVIDER_ANSWER_BYTES_MAX }).catch(rethrow);
  const init = { status: response.status, headers: response.headers };
  return new Response(bytes.length === 0 ? null : bytes, init);
}

function rethrow(error: unknown): never {
  const isTooLong = error instanceof ReadFailed && error.failure === "too long";
  throw isTooLong ? new SignInFailed("unavailable", "too large") : error;
}

/** Parses the JSON of a response with status 200. Throws {@linkcode SignInFailed}. */
export async function jsonOf(response: Response): Promise<Json> {
  if (response.status !== 200) throw new SignInFailed("unavailable", `status ${response.status}`);
  try {
    return parseJson(await response.text());
  } catch {
    throw new SignInFailed("unavailable", "no JSON");
  }
}
