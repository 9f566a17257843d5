import type { createClient as declared } from "../client.d.ts";
import { Auth } from "./auth.ts";
import { isPage } from "./browser.ts";
import { type ClientState, Collection, idempotencyOptions, ifMatchOptions } from "./collection.ts";
import { CorbelError } from "./errors.ts";
import { Files } from "./files.ts";
import { checkId } from "./ids.ts";
import { SessionKeeper } from "./session.ts";
import { Transport } from "./transport.ts";

export { CorbelError } from "./errors.ts";

interface Options {
  readonly url: string;
  readonly key: string;
  readonly session?: "cookie" | "memory";
  readonly fetch?: typeof fetch;
}

class Client {
  readonly #shared: ClientState;
  readonly #ended = new AbortController();
  readonly auth: Auth;
  readonly files: Files;

  constructor({ url, key, session, fetch: fetcher = fetch }: Options) {
    const origin = normalizedAddress(url);
    if (!/^[ps]k_live_[\w-]+$/.test(key)) {
      rejectOption("The key must be a project's key, which begins with pk_live_ or sk_live_.");
    }
    // A browser's `fetch` cannot be called as a method of another object.
    const boundFetch: typeof fetch = (...given) => fetcher(...given);
    const transport = new Transport(origin, key, boundFetch);
    const usesCookie = (session ?? (isPage ? "cookie" : "memory")) === "cookie";
    const keeper = new SessionKeeper(transport, `${origin} ${key}`, usesCookie);
    transport.tokens = keeper;
    this.#shared = {
      transport,
      session: keeper,
      etags: new WeakMap(),
      closed: this.#ended.signal,
    };
    this.auth = new Auth(transport, keeper);
    this.files = new Files(transport, keeper, boundFetch);
  }

  from(collection: string): Collection {
    return new Collection(this.#shared, collection);
  }

  async batch(
    operations: readonly object[],
    { idempotencyKey, signal }: { idempotencyKey?: string; signal?: AbortSignal } = {},
  ) {
    operations.forEach((operation, at) => {
      if ("id" in operation) checkId(operation.id, at);
      ifMatchOptions(operation);
    });
    const { results } = await this.#shared.transport.data({
      method: "POST",
      path: "/api/batch",
      body: { operations },
      ...idempotencyOptions(idempotencyKey),
      signal,
    });
    return results;
  }

  etagOf(document: object): string | undefined {
    return this.#shared.etags.get(document);
  }

  close(): void {
    this.#ended.abort();
    this.#shared.session.close();
  }
}

function rejectOption(message: string): never {
  throw new CorbelError({ code: "INVALID_OPTIONS", message });
}

/** Returns the address of the server without trailing slashes. Throws `INVALID_OPTIONS`. */
function normalizedAddress(url: unknown): string {
  const expected = 'the address of the server, such as "http://localhost:8000"';
  if (!url) rejectOption(`The url is missing: give ${expected}.`);
  const address = String(url).trim().replace(/\/+$/, "");
  if (/^https?:\/\/[^?#]+$/.test(address) && URL.canParse(address)) return address;
  return rejectOption(`The url must be ${expected}, and it is "${address.slice(0, 200)}".`);
}

/** Creates a client. `client.d.ts` declares more precise types than the compiler can infer here. */
export const createClient =
  ((options: Options) => new Client(options ?? {})) as unknown as typeof declared;
