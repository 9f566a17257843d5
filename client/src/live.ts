import { CorbelError } from "./errors.ts";
import { readEvents } from "./events.ts";
import { inOrder } from "./order.ts";
import { pause } from "./pause.ts";
import { queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Transport } from "./transport.ts";

// deno-lint-ignore no-explicit-any -- The types of the client say what documents are.
type Doc = any;

interface Handlers {
  items(items: Doc[], total: number | undefined): void;
  connected?(isConnected: boolean): void;
  error?(error: CorbelError): void;
}

interface Live {
  readonly path: string;
  // deno-lint-ignore no-explicit-any -- As above.
  readonly query: Record<string, any>;
  readonly handlers: Handlers;
  readonly session: SessionKeeper;
  readonly closed: AbortSignal;
}

/** The server says something every 15 s: where nothing comes for so long, the connection is lost. */
const SILENCE_MS = 40_000;
const PAUSE_MS_MAX = 30_000;
const LIMIT_DEFAULT = 100;

/** Refusals after which it may go well the next time. */
const isPassing = ({ status }: CorbelError): boolean =>
  status === 0 || status === 429 || status >= 500;

/** Keeps a list as it is on the server, through lost connections and renewed tokens. */
export function openLive(
  transport: Transport,
  { path, query, handlers, session, closed }: Live,
): { close(): void } {
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, closed, ...(query.signal ? [query.signal] : [])]);
  const list = new List(query);
  const parameters = queryOf(query);
  let lastEventId: string | null = null;

  /** Until the connection is lost. Throws what is refused. */
  async function listen(): Promise<void> {
    const silence = new AbortController();
    const signal = AbortSignal.any([ended, silence.signal]);
    const response = await transport.open({
      path,
      query: parameters,
      headers: lastEventId === null ? {} : { "last-event-id": lastEventId },
      signal,
    });
    handlers.connected?.(true);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      for await (const { event, data, id } of readEvents(response.body!, heard)) {
        if (ended.aborted) return;
        if (event === "unauthorized") return await renew(JSON.parse(data));
        if (id !== "") lastEventId = id;
        if (list.apply(event, data)) handlers.items(list.items(), list.total);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function renew({ code, message }: { code: string; message: string }): Promise<void> {
    const token = await session.token();
    if (token !== null) await session.renew(token);
    if (await session.token() === null) throw new CorbelError({ code, message, status: 401 });
  }

  async function run(): Promise<void> {
    for (let failures = 0; !ended.aborted; failures++) {
      const began = Date.now();
      try {
        await listen();
      } catch (error) {
        if (ended.aborted) return;
        if (error instanceof CorbelError && !isPassing(error)) return handlers.error?.(error);
      }
      if (ended.aborted) return;
      handlers.connected?.(false);
      if (Date.now() - began > PAUSE_MS_MAX) failures = 0;
      const pauseMs = Math.min(500 * 2 ** failures, PAUSE_MS_MAX) * (1 + Math.random() / 2);
      await pause(pauseMs, ended).catch(() => {});
    }
  }

  run();
  return { close: () => stop.abort() };
}

/** Documents of a list, as far as they are known. */
class List {
  readonly #byId = new Map<string, Doc>();
  readonly #compare: (one: Doc, other: Doc) => number;
  readonly #limit: number;
  total: number | undefined;

  constructor({ sort, limit = LIMIT_DEFAULT }: { sort?: string | string[]; limit?: number }) {
    this.#compare = inOrder(String(sort ?? "-createdAt"));
    this.#limit = limit;
  }

  /** Whether there is something to be told. */
  apply(event: string, text: string): boolean {
    if (event !== "list" && event !== "change") return false; // A reset is followed by a list.
    const data = JSON.parse(text);
    if (event === "list") {
      this.#byId.clear();
      for (const item of data.items) this.#byId.set(item._id, item);
      this.total = data.total;
      return true;
    }
    if (data.action === "removed") this.#byId.delete(data.id);
    else this.#byId.set(data.id, data.document);
    this.total = data.total ?? this.total;
    return true;
  }

  items(): Doc[] {
    return [...this.#byId.values()].sort(this.#compare).slice(0, this.#limit);
  }
}
