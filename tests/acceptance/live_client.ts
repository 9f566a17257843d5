/** What a page with `EventSource` knows: it comes back by itself, with the last event it heard of. */

import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Server } from "./server.ts";

export interface Heard {
  readonly id: string | undefined;
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- Documents of every shape.
  readonly data: any;
  /** By the clock of the tests' process. */
  readonly at: number;
}

export interface LiveClientOptions {
  /** Where it is at the moment: another process may have taken its place. */
  readonly server: () => Server;
  /** Behind `/api/data/`. */
  readonly path: string;
  readonly key: string;
  readonly token?: string;
}

const RETRY_MS = 100;

export class LiveClient implements AsyncDisposable {
  readonly heard: Heard[] = [];
  readonly comments: string[] = [];
  /** How often it has been let in. */
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

  /** Resolves when something that was heard holds; fails where it is not in time. */
  async until(what: string, holds: () => boolean, withinMs: number): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#woken.resolve();
    }, withinMs);
    try {
      while (!holds()) {
        if (isLate) {
          const last = JSON.stringify(this.heard.at(-1) ?? null);
          const so = `let in ${this.opened} times, heard ${this.heard.length} events, last ${last}`;
          throw new Error(`${what}: not within ${withinMs} ms: ${so}`);
        }
        await this.#woken.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** All documents that it was shown, in lists and changes, by one member. */
  shown(member: string): Set<unknown> {
    const documents = this.heard.flatMap(({ event, data }) =>
      event === "list" ? data.items : data.document ?? []
    );
    return new Set(documents.map((document) => document[member]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    // What is aborted is not always heard of behind two pipes.
    this.#reader?.cancel().catch(() => {});
    await this.#over;
  }

  async #goOn(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.#listen(signal);
      } catch {
        // The server went away, or is not there yet.
      }
      await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : RETRY_MS));
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { server, path, key, token } = this.#options;
    const { url, http } = server();
    const last = this.heard.findLast(({ id }) => id !== undefined)?.id;
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
      this.heard.push({ id, event, data: JSON.parse(data), at: performance.now() });
      this.#wake();
    }
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }
}
