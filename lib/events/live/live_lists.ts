import pLimit from "p-limit";
import type { Caller } from "../../auth/principals.ts";
import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX } from "../../limits.ts";
import { Problem } from "../../problems.ts";
import type { Id } from "../../store/port.ts";
import { Hubs, type HubServices } from "./hubs.ts";
import type { ListenerAccess } from "./listener_access.ts";
import { type LiveInput, type LiveServices, LiveStream } from "./live_stream.ts";

export interface OpenListInput extends LiveInput {
  readonly caller: Caller;
  /** The user or address to whose limit of open lists the stream counts. */
  readonly listener: string;
}

/** Short enough that, even with caches, a revocation takes effect within 5 s. */
const CHECK_INTERVAL_MS = 1_000;
/** Maximum number of lists that are read concurrently for streams that restart. */
const READS_AT_ONCE_MAX = 8;
const RETRY_SECONDS = 5;

export class LiveLists implements Disposable {
  readonly #services: () => LiveServices & HubServices;
  readonly #streams = new Set<LiveStream>();
  readonly #byProject = new Map<Id, number>();
  readonly #byListener = new Map<string, number>();
  readonly #turn = pLimit(READS_AT_ONCE_MAX);
  #hubs: Hubs | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param services Called when a list is opened. */
  constructor(services: () => LiveServices & HubServices) {
    this.#services = services;
  }

  /** Throws the problems of a list request, `EVENTS_OFF` and `TOO_MANY_STREAMS`. */
  async open(input: OpenListInput): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { caller: { projectId }, listener } = input;
    const leave = this.#reserve(projectId, listener);
    const services = this.#services();
    this.#hubs ??= new Hubs(services);
    const onEnd = () => {
      leave();
      this.#streams.delete(stream);
      if (this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    const options = { hubs: this.#hubs, turn: this.#turn, onEnd };
    const stream = new LiveStream(services, input, options);
    this.#streams.add(stream);
    this.#timer ??= this.#startChecks();
    await stream.open();
    return stream.body;
  }

  /** Ends all streams with a comment that asks the clients to reconnect. */
  stop(): void {
    for (const stream of [...this.#streams]) stream.stop();
  }

  [Symbol.dispose](): void {
    this.stop();
    clearInterval(this.#timer);
  }

  #reserve(projectId: Id, listener: string): () => void {
    const counts = [
      { counts: this.#byProject, key: projectId, max: LIVE_STREAMS_MAX, whose: "A project" },
      {
        counts: this.#byListener,
        key: `${projectId} ${listener}`,
        max: LIVE_STREAMS_SHARE_MAX,
        whose: "A user, or an address with a key,",
      },
    ];
    for (const { counts: open, key, max, whose } of counts) {
      if ((open.get(key) ?? 0) < max) continue;
      throw new Problem("TOO_MANY_STREAMS", {
        message: `${whose} may have ${max} live lists open at a server: close some.`,
        retryAfter: RETRY_SECONDS,
      });
    }
    for (const { counts: open, key } of counts) open.set(key, (open.get(key) ?? 0) + 1);
    return () => {
      for (const { counts: open, key } of counts) {
        const left = open.get(key)! - 1;
        if (left > 0) open.set(key, left);
        else open.delete(key);
      }
    };
  }

  #startChecks(): ReturnType<typeof setInterval> {
    const { clock } = this.#services();
    return setInterval(() => {
      const now = clock.elapsed();
      this.#hubs?.check({ now, turn: this.#turn });
      const checks = new Map<string, Promise<boolean>>();
      const hasAccess = (access: ListenerAccess) => {
        const check = checks.get(access.key) ?? access.isValid();
        checks.set(access.key, check);
        return check;
      };
      for (const stream of this.#streams) stream.check({ now, hasAccess });
    }, CHECK_INTERVAL_MS);
  }
}
