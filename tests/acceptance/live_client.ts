/** A client like a page's `EventSource`: it reconnects with the id of the last event. */

import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Server } from "./server.ts";

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- Documents of every shape.
  readonly data: any;
  /** Time of arrival, in milliseconds of the test process's clock. */
  readonly at: number;
}

export interface LiveClientOptions {
  /** Returns the current server, because another process may have replaced the first. */
  readonly server: () => Server;
  /** Path after `/api/data/`. */
  readonly path: string;
  readonly key: string;
  readonly token?: string;
}

const RETRY_MS = 100;

export class LiveClient implements AsyncDisposable {
  readonly received: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  /** Number of accepted connections. */
  opened = 0;
  readonly #options: LiveClientOptions;
  readonly #ended = new AbortController();
  readonly #over: Promise<void>;
  #reader: ReadableStreamDefaultReader<EventSourceMessage> | null = null;
  #woken = Promise.withResolvers<void>();

  constructor(options: LiveClientOptions) {
    this.#options = options;
    this.#over = this.#goOn();
  }

  /** Resolves once a condition on the received events is true, and rejects after the timeout. */
  async until(what: string, holds: () => boolean, withinMs: number): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#woken.resolve();
    }, withinMs);
    try {
      while (!holds()) {
        if (isLate) {
          const last = JSON.stringify(this.received.at(-1) ?? null);
          const counts = `${this.opened} connections, ${this.received.length} events`;
          throw new Error(`${what}: not within ${withinMs} ms: ${counts}, last ${last}`);
        }
        await this.#woken.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns one member of all documents received in lists and changes. */
  receivedValues(member: string): Set<unknown> {
    const documents = this.received.flatMap(({ event, data }) =>
      event === "list" ? data.items : data.document ?? []
    );
    return new Set(documents.map((document) => document[member]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    // Aborting the fetch does not always end a stream behind two pipes.
    this.#reader?.cancel().catch(() => {});
    await this.#over;
  }

  async #goOn(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.#listen(signal);
      } catch {
        // The server has stopped, or has not started yet.
      }
      await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : RETRY_MS));
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { server, path, key, token } = this.#options;
    const { url, http } = server();
    const last = this.received.findLast(({ id }) => id !== undefined)?.id;
    const headers = new Headers({ "x-api-key": key });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (last !== undefined) headers.set("last-event-id", last);
    const response = await fetch(`${url}/api/data/${path}`, { headers, signal, client: http });
    if (response.status !== 200) return void await response.body?.cancel();
    this.opened++;
    this.#wake();
    const onComment = (comment: string) => {
      this.comments.push(comment);
      this.#wake();
    };
    const reader = this.#reader = response.body!
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ onComment }))
      .getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const { id, event = "message", data } = value;
      this.received.push({ id, event, data: JSON.parse(data), at: performance.now() });
      this.#wake();
    }
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }
}
