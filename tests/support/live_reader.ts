import assert from "node:assert/strict";
import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Call } from "./conforming_client.ts";
import type { TestApp, TestProject, TestUser } from "./test_app.ts";

export interface LiveEvent {
  readonly id: string | undefined;
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- Tests say what they expect.
  readonly data: any;
}

const SILENCE_MS = 60_000;

export class LiveReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<EventSourceMessage>;
  readonly #heard: string[] = [];
  readonly comments: string[] = [];

  constructor(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    const onComment = (comment: string) => void this.comments.push(comment);
    this.#reader = body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ onComment }))
      .getReader();
  }

  /** Returns the next event, or null at the end. Fails after a minute without an event. */
  async next(): Promise<LiveEvent | null> {
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const received = `${this.#heard.join(", ") || "nothing"}; ${this.comments.length} comments`;
      silence.reject(new Error(`A live list has sent no event for a minute, after ${received}`));
    }, SILENCE_MS);
    const { value, done } = await Promise.race([this.#reader.read(), silence.promise])
      .finally(() => clearTimeout(timer));
    if (done) return null;
    this.#heard.push(`${value.event} ${value.id}`);
    return { id: value.id, event: value.event ?? "message", data: JSON.parse(value.data) };
  }

  /** Returns the next event, which must be of this kind. */
  async expect(event: string): Promise<LiveEvent> {
    const next = await this.next();
    assert.equal(next?.event, event, JSON.stringify(next));
    return next!;
  }

  async changes(count: number): Promise<LiveEvent[]> {
    const changes = [];
    while (changes.length < count) changes.push(await this.expect("change"));
    return changes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}

export interface ListenInput {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Path after `/api/data/`, such as `posts/live?status=published`. */
  readonly path: string;
  /** The user whose token is sent with the publishable key, or null to send the key alone. */
  readonly user?: TestUser | null;
  readonly lastEventId?: string | undefined;
  readonly peer?: string;
}

/** Opens a live list, with the secret key if `user` is missing. Fails if the request is refused. */
export async function listen(input: ListenInput): Promise<LiveReader> {
  const response = await input.app.open(callOf(input));
  if (response.status !== 200) assert.fail(`${response.status}: ${await response.text()}`);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("cache-control"), "private, no-cache");
  return new LiveReader(response.body!);
}

function callOf({ project, path, user, lastEventId, peer }: ListenInput): Call {
  const key = user === undefined ? project.secretKey : project.publishableKey;
  return {
    path: `/api/data/${path}`,
    headers: [
      ["x-api-key", key],
      ...(user ? [["authorization", `Bearer ${user.token}`] as [string, string]] : []),
      ...(lastEventId === undefined ? [] : [["last-event-id", lastEventId] as [string, string]]),
    ],
    ...(peer !== undefined && { peer }),
  };
}
