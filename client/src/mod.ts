import type { createClient as declared } from "../client.d.ts";
import { Auth } from "./auth.ts";
import { isPage } from "./browser.ts";
import { Collection, ifStill, onceBy, type Shared } from "./collection.ts";
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
  readonly #shared: Shared;
  readonly #ended = new AbortController();
  readonly auth: Auth;
  readonly files: Files;

  constructor({ url, key, session, fetch: fetcher = fetch }: Options) {
    const origin = addressOf(url);
    if (!/^[ps]k_live_[\w-]+$/.test(key)) {
      refuseOption("The key must be a project's, such as pk_live_ and what is behind it.");
    }
    // Called as a method of ours a browser's own would be refused.
    const ask: typeof fetch = (...given) => fetcher(...given);
    const transport = new Transport(origin, key, ask);
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
    this.files = new Files(transport, keeper, ask);
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
      ifStill(operation);
    });
    const { results } = await this.#shared.transport.data({
      method: "POST",
      path: "/api/batch",
      body: { operations },
      ...onceBy(idempotencyKey),
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

function refuseOption(message: string): never {
  throw new CorbelError({ code: "INVALID_OPTIONS", message });
}

/** The address of the server without slashes at its end. Throws `INVALID_OPTIONS`. */
function addressOf(url: unknown): string {
  const such = 'the address of the server, such as "http://localhost:8000"';
  if (!url) refuseOption(`The url is missing: give ${such}.`);
  const address = String(url).trim().replace(/\/+$/, "");
  if (/^https?:\/\/[^?#]+$/.test(address) && URL.canParse(address)) return address;
  return refuseOption(`The url must be ${such}, and it is "${address.slice(0, 200)}".`);
}

/** The types of the client say more of all this than the compiler can find out here. */
export const createClient =
  ((options: Options) => new Client(options ?? {})) as unknown as typeof declared;
