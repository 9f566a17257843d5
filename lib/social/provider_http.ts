import { ReadFailed, readWhole } from "../http/bounded_reader.ts";
import { PROVIDER_ANSWER_BYTES_MAX, PROVIDER_TIMEOUT_MS } from "../limits.ts";
import { parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { SignInFailed } from "./failures.ts";

/**
 * The way to providers for one sign-in. Addresses come from configuration, or from the document
 * that a configured issuer publishes; nothing that a user sent is ever requested. Redirects are
 * not followed, and answers are bounded in size and, all together, in time.
 */
export interface ProviderHttp {
  /** Throws {@linkcode SignInFailed} where there is no whole answer. */
  fetch(url: string, init?: ProviderRequest): Promise<Response>;
  /**
   * Joins what is done for several sign-ins at once, and waits for it, but not beyond the end of
   * this one's time: after that nothing is joined either.
   */
  wait<T>(join: () => Promise<T>): Promise<T>;
}

export interface ProviderRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/** Some answer nobody who does not say who they are. */
const USER_AGENT = "Corbel";

/** What answers a request; the network, if nothing else is given. */
type Answering = (url: string, request: ProviderRequest) => Promise<Response>;

/** Runs `work`, whose requests must all be answered within the time limit. */
export async function withinTimeLimit<T>(
  work: (http: ProviderHttp) => Promise<T>,
  answering?: Answering,
): Promise<T> {
  const late = new AbortController();
  const expired = Promise.withResolvers<never>();
  expired.promise.catch(() => {}); // Often nobody waits for it.
  const timer = setTimeout(() => {
    late.abort();
    expired.reject(new SignInFailed("slow"));
  }, PROVIDER_TIMEOUT_MS);
  try {
    return await work({
      async fetch(url, init = {}) {
        try {
          return await (answering?.(url, init) ?? fetchWhole(url, init, late.signal));
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
    // Of several requests at once one may have failed before the others came to their end.
    late.abort();
  }
}

async function fetchWhole(
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
    : await readWhole(response.body, { bytesMax: PROVIDER_ANSWER_BYTES_MAX }).catch(unlessTooLong);
  const init = { status: response.status, headers: response.headers };
  return new Response(bytes.length === 0 ? null : bytes, init);
}

function unlessTooLong(error: unknown): never {
  const isTooLong = error instanceof ReadFailed && error.failure === "too long";
  throw isTooLong ? new SignInFailed("unavailable", "too large") : error;
}

/** The JSON of a successful answer. Throws {@linkcode SignInFailed} for any other. */
export async function jsonOf(response: Response): Promise<Json> {
  if (response.status !== 200) throw new SignInFailed("unavailable", `status ${response.status}`);
  try {
    return parseJson(await response.text());
  } catch {
    throw new SignInFailed("unavailable", "no JSON");
  }
}
