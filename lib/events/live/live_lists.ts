import pLimit from "p-limit";
import type { Caller } from "../../auth/principals.ts";
import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX } from "../../limits.ts";
import { Problem } from "../../problems.ts";
import type { Id } from "../../store/port.ts";
import { Hubs, type HubServices } from "./hubs.ts";
import type { Standing } from "./standing.ts";
import { type LiveInput, type LiveServices, LiveStream } from "./live_stream.ts";

export interface OpenInput extends LiveInput {
  readonly caller: Caller;
  /** Tells listeners apart who have their own share: a user, or an address. */
  readonly listener: string;
}

/** With the time that keys and sessions are remembered, less than five seconds. */
const LOOK_MS = 1_000;
/** Lists that are read at once for those who begin anew. */
const READS_AT_ONCE_MAX = 8;
const RETRY_SECONDS = 5;

/** All live lists of a process. */
export class LiveLists implements Disposable {
  readonly #services: () => LiveServices & HubServices;
  readonly #streams = new Set<LiveStream>();
  readonly #byProject = new Map<Id, number>();
  readonly #byListener = new Map<string, number>();
  readonly #turn = pLimit(READS_AT_ONCE_MAX);
  #hubs: Hubs | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param services Called when somebody listens. */
  constructor(services: () => LiveServices & HubServices) {
    this.#services = services;
  }

  /**
   * Opens a list that tells of its changes: the bytes of its events. Throws what a list throws for
   * its query and its caller, `EVENTS_OFF` and `TOO_MANY_STREAMS`.
   */
  async open(input: OpenInput): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { caller: { projectId }, listener } = input;
    const leave = this.#enter(projectId, listener);
    const services = this.#services();
    this.#hubs ??= new Hubs(services);
    const ended = () => {
      leave();
      this.#streams.delete(stream);
      if (this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    const around = { hubs: this.#hubs, turn: this.#turn, ended };
    const stream = new LiveStream(services, input, around);
    this.#streams.add(stream);
    this.#timer ??= this.#watch();
    await stream.open();
    return stream.body;
  }

  /** Ends all of them with a word to their clients. */
  stop(): void {
    for (const stream of [...this.#streams]) stream.stop();
  }

  [Symbol.dispose](): void {
    this.stop();
    clearInterval(this.#timer);
  }

  #enter(projectId: Id, listener: string): () => void {
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

  #watch(): ReturnType<typeof setInterval> {
    const { clock } = this.#services();
    return setInterval(() => {
      const now = clock.elapsed();
      this.#hubs?.look({ now, turn: this.#turn });
      const asked = new Map<string, Promise<boolean>>();
      const stands = (standing: Standing) => {
        const asking = asked.get(standing.key) ?? standing.stands();
        asked.set(standing.key, asking);
        return asking;
      };
      for (const stream of this.#streams) stream.look({ now, stands });
    }, LOOK_MS);
  }
}
