import { checkId } from "./ids.ts";
import { rejectValue } from "./json.ts";
import { openLive } from "./live.ts";
import { type Query, queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Call, Transport } from "./transport.ts";

// deno-lint-ignore no-explicit-any -- `client.d.ts` declares documents.
type Doc = any;

interface Options {
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly upsert?: boolean | string;
  readonly permanent?: boolean;
}

/** State of a client that its collections share. */
export interface ClientState {
  readonly transport: Transport;
  readonly session: SessionKeeper;
  /** Tags of documents that were answered singly. */
  readonly etags: WeakMap<object, string>;
  /** Aborted when the client is closed. */
  readonly closed: AbortSignal;
}

export class Collection {
  readonly #shared: ClientState;
  readonly #path: string;

  constructor(shared: ClientState, name: string) {
    this.#shared = shared;
    this.#path = `/api/data/${encodeURIComponent(name)}`;
  }

  list(query: Query = {}) {
    return this.#read("", query);
  }

  async *pages(query: Query = {}) {
    for (let { cursor } = query;;) {
      const page = await this.list({ ...query, cursor });
      yield page;
      cursor = page.nextCursor;
      if (cursor === null) return;
    }
  }

  async get(id: string, query: Query = {}): Promise<Doc> {
    return await this.#document({
      path: this.#pathOf(id),
      query: queryOf(query),
      signal: query.signal,
    });
  }

  create(document: object, { idempotencyKey, upsert, signal }: Options = {}): Promise<Doc> {
    return this.#document({
      method: "POST",
      path: this.#path,
      query: queryOf({ upsert }),
      body: document,
      ...idempotencyOptions(idempotencyKey),
      signal,
    });
  }

  async createMany(documents: readonly object[], { idempotencyKey, signal }: Options = {}) {
    const { ids } = await this.#shared.transport.data({
      method: "POST",
      path: `${this.#path}/bulk`,
      body: { documents },
      ...idempotencyOptions(idempotencyKey),
      signal,
    });
    return ids;
  }

  async replace(id: string, document: object, options: Options = {}): Promise<Doc> {
    return await this.#document({
      method: "PUT",
      path: this.#pathOf(id),
      query: queryOf({ upsert: options.upsert }),
      body: document,
      ...ifMatchOptions(options),
      signal: options.signal,
    });
  }

  async patch(id: string, changes: object, options: Options = {}): Promise<Doc> {
    const path = this.#pathOf(id);
    const { signal } = options;
    return await this.#document({
      method: "PATCH",
      path,
      body: changes,
      ...ifMatchOptions(options),
      signal,
    });
  }

  async delete(id: string, options: Options = {}): Promise<void> {
    await this.#shared.transport.data({
      method: "DELETE",
      path: this.#pathOf(id),
      query: queryOf({ permanent: options.permanent }),
      ...ifMatchOptions(options),
      signal: options.signal,
    });
  }

  async recover(id: string, { signal }: Options = {}): Promise<Doc> {
    return await this.#document({ method: "PATCH", path: `${this.#pathOf(id)}/recover`, signal });
  }

  async count(query: Query = {}): Promise<number> {
    return (await this.#read("", { ...query, count: true })).count;
  }

  aggregate(query: Query) {
    return this.#read("/aggregate", query);
  }

  live(query: Query, handlers: Parameters<typeof openLive>[1]["handlers"]) {
    const { transport, session, closed } = this.#shared;
    const path = `${this.#path}/live`;
    return openLive(transport, { path, query, handlers, session, closed });
  }

  #pathOf(id: string): string {
    checkId(id);
    return `${this.#path}/${id}`;
  }

  async #read(path: string, query: Query) {
    const { signal } = query;
    const call = { path: this.#path + path, query: queryOf(query), signal };
    const { data, warnings } = await this.#shared.transport.answer(call);
    return { ...data, warnings };
  }

  async #document(call: Call): Promise<Doc> {
    const { data, etag } = await this.#shared.transport.answer(call);
    if (etag !== null) this.#shared.etags.set(data, etag);
    return data;
  }
}

/** Returns call options for an idempotency key, with which the server repeats the first answer. */
export const idempotencyOptions = (idempotencyKey: string | undefined): Partial<Call> =>
  idempotencyKey === undefined
    ? {}
    : { headers: { "idempotency-key": idempotencyKey }, isRepeatable: true };

/** Returns call options for `ifMatch`. Throws if it is `undefined`, to prevent overwriting. */
export function ifMatchOptions(options: { readonly ifMatch?: string }): Partial<Call> {
  const { ifMatch } = options;
  if (ifMatch !== undefined) return { headers: { "if-match": ifMatch } };
  if (!("ifMatch" in options)) return {};
  return rejectValue("ifMatch", "is undefined: etagOf knows no document of a list");
}
