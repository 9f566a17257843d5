import { notify } from "./callbacks.ts";
import { CorbelError, foreignAnswer, isRefusal, NOT_CORBEL } from "./errors.ts";
import { readEvents } from "./events.ts";
import { LiveList } from "./live_list.ts";
import { sortPaths } from "./order.ts";
import { pause } from "./pause.ts";
import { queryOf } from "./query.ts";
import type { SessionKeeper } from "./session.ts";
import type { Transport } from "./transport.ts";

// deno-lint-ignore no-explicit-any -- `client.d.ts` declares documents.
type Doc = any;

interface Handlers {
  items(items: Doc[], total: number | undefined): void;
  connected?(isConnected: boolean): void;
  error?(error: CorbelError): void;
}

interface Live {
  readonly path: string;
  // deno-lint-ignore no-explicit-any -- `client.d.ts` declares queries.
  readonly query: Record<string, any>;
  readonly handlers: Handlers;
  readonly session: SessionKeeper;
  readonly closed: AbortSignal;
}

/** Milliseconds without data until a connection counts as lost. The server sends every 15 s. */
const SILENCE_MS = 40_000;
const PAUSE_MS_MAX = 30_000;

/** Keeps a list up to date, through lost connections and renewed tokens. */
export function openLive(
  transport: Transport,
  { path, query, handlers, session, closed }: Live,
): { close(): void } {
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, closed, ...(query.signal ? [query.signal] : [])]);
  const list = new LiveList(query);
  let lastEventId: string | null = null;
  let isConnected: boolean | null = null;
  let hasBeenConnected = false;

  function setConnected(now: boolean): void {
    hasBeenConnected ||= now;
    if (isConnected === now) return;
    isConnected = now;
    notify(() => handlers.connected?.(now));
  }

  /** Reports the final error to the handler or, without one, as an uncaught error. */
  function fail(error: unknown): void {
    notify(() => {
      if (handlers.error === undefined) throw error;
      handlers.error(error as CorbelError);
    });
  }

  /** Resolves to true if the list has to be read again. Throws if the server refuses. */
  async function listen(parameters: URLSearchParams): Promise<boolean> {
    const silence = new AbortController();
    const signal = AbortSignal.any([ended, silence.signal]);
    const response = await transport.open({
      path,
      query: parameters,
      headers: lastEventId === null ? {} : { "last-event-id": lastEventId },
      signal,
    });
    if (!/event-stream/.test(response.headers.get("content-type") ?? "")) {
      throw foreignAnswer(response, await response.text());
    }
    setConnected(true);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resetTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      for await (const { event, data, id } of readEvents(response.body!, resetTimer)) {
        if (ended.aborted) return false;
        if (event === "unauthorized") {
          await renew(JSON.parse(data));
          return false;
        }
        if (id !== "") lastEventId = id;
        if (list.apply(event, data)) notify(() => handlers.items(list.items(), list.total));
        if (list.isShort) return true;
      }
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async function renew({ code, message }: { code: string; message: string }): Promise<void> {
    const token = await session.token();
    if (token !== null) await session.renew(token);
    if (await session.token() === null) throw new CorbelError({ code, message, status: 401 });
  }

  /** Whether an error ends the list: a foreign answer does if Corbel has never answered. */
  const isFinal = (error: unknown): boolean =>
    isRefusal(error) ||
    (!hasBeenConnected && error instanceof CorbelError && error.code === NOT_CORBEL &&
      error.status < 500);

  async function run(): Promise<void> {
    const parameters = parametersOf(query);
    for (let failures = 0; !ended.aborted; failures++) {
      const began = Date.now();
      try {
        while (await listen(parameters)) lastEventId = null;
      } catch (error) {
        if (ended.aborted) return;
        if (isFinal(error)) throw error;
      }
      if (ended.aborted) return;
      setConnected(false);
      if (Date.now() - began > PAUSE_MS_MAX) failures = 0;
      const pauseMs = Math.min(500 * 2 ** failures, PAUSE_MS_MAX) * (1 + Math.random() / 2);
      await pause(pauseMs, ended).catch(() => {});
    }
  }

  Promise.resolve().then(run).catch(fail);
  return { close: () => stop.abort() };
}

/** Returns the query, with the sort fields added to `fields` because the client sorts documents. */
function parametersOf(query: Live["query"]): URLSearchParams {
  const { fields = [] } = query;
  if (fields.length === 0) return queryOf(query);
  const isShown = (path: string) =>
    fields.some((name: string) => `${path}.`.startsWith(`${name}.`));
  const others = sortPaths(query.sort).filter((path) => !isShown(path));
  return queryOf({ ...query, fields: [...fields, ...others] });
}
