import type { LimitFunction } from "p-limit";
import { dataOf } from "../../documents/list_cache.ts";
import { listDocuments, type ListServices } from "../../documents/list_documents.ts";
import type { Clock } from "../../clock.ts";
import { CACHE_MS, LIVE_BEHIND_BYTES_MAX } from "../../limits.ts";
import { nextTurn } from "../../next_turn.ts";
import { Problem } from "../../problems.ts";
import type { Log } from "../../runtime/log.ts";
import { PositionLost, QueryTooSlow } from "../../store/errors.ts";
import type { ChangePosition, Id } from "../../store/port.ts";
import type { Caller } from "../../auth/principals.ts";
import type { Subscriber, Told } from "./channel.ts";
import type { Hubs, Joined } from "./hubs.ts";
import { type LivePlan, type LiveQuery, planLive } from "./plan.ts";
import type { LivePositions } from "./positions.ts";
import { encoded, Sink } from "./sink.ts";
import type { Standing } from "./standing.ts";

export interface LiveServices extends ListServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly livePositions: LivePositions;
}

export interface LiveInput extends LiveQuery {
  readonly standing: Standing;
  /** The `Last-Event-ID` header; null without one. */
  readonly lastEventId: string | null;
}

export interface LiveSurroundings {
  readonly hubs: Hubs;
  /** How many lists are read at once for those who begin anew. */
  readonly turn: LimitFunction;
  /** Nobody listens any more. */
  readonly ended: () => void;
}

/** What all streams of a project are looked at with. */
export interface Look {
  /** Changes with everything that may end one; null where there is no telling. */
  readonly mark: string | null;
  /** Never rejects. */
  stands(standing: Standing): Promise<boolean>;
}

/** Lists that are read again because somebody wrote meanwhile. */
const SNAPSHOTS_MAX = 3;
/** How long changes of the moment take to arrive where the engine does not name its state. */
const SETTLE_MS = 50;
const HEARTBEAT_MS = 15_000;
/** Between this and the time that sessions are remembered, less than five seconds pass. */
const CHECK_MS = 1_500;

const HEARTBEAT = encoded(":\n\n");
const STOPPING = encoded(": The server stops: come back, and go on from the last event.\n\n");
const RESET = "event: reset\ndata: {}\n\n";

/** Up to where changes are told, and are in the total. */
interface Beginning {
  readonly sent: ChangePosition;
  readonly counted: ChangePosition;
}

/** One open list: what it showed, and each change of it since. */
export class LiveStream implements Subscriber {
  readonly #services: LiveServices;
  readonly #caller: Caller;
  readonly #input: LiveInput;
  readonly #around: LiveSurroundings;
  readonly #sink: Sink;
  #joined: Joined | null = null;
  /** What was told before the list was read; null once it is told at once. */
  #early: Told[] | null = [];
  #earlyBytes = 0;
  #total: number | null = null;
  /** Counts beginnings: one that another has overtaken ends. */
  #beginning = 0;
  #isEnded = false;
  #sentAt: number;
  #checkedAt: number;
  /** What was last seen of what may end it, and since when. */
  #mark: string | null = null;
  #markedAt = 0;
  #askedAt = 0;

  constructor(
    services: LiveServices,
    { caller, ...input }: LiveInput & { readonly caller: Caller },
    around: LiveSurroundings,
  ) {
    this.#services = services;
    this.#caller = caller;
    this.#input = input;
    this.#around = around;
    this.#sentAt = this.#checkedAt = services.clock.elapsed();
    this.#sink = new Sink({
      bytesMax: LIVE_BEHIND_BYTES_MAX,
      caughtUp: () => this.restart(),
      gone: () => this.#end(),
    });
  }

  get projectId(): Id {
    return this.#caller.projectId;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#sink.body;
  }

  /** Resolves when there is something to read. Throws what is wrong with the query. */
  async open(): Promise<void> {
    try {
      await this.#begin({ after: this.#input.lastEventId, isAgain: false });
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  told(told: Told): void {
    if (this.#early === null) return this.#send(told);
    this.#early.push(told);
    this.#earlyBytes += told.bytes;
    // Its list is read for longer than one can wait: it is read once more.
    if (this.#earlyBytes > LIVE_BEHIND_BYTES_MAX) this.restart();
  }

  failed(error: unknown): void {
    this.#refused(error);
  }

  restart(): void {
    if (this.#isEnded) return;
    this.#stopListening();
    const begin = () => this.#begin({ after: null, isAgain: true });
    this.#around.turn(begin).catch((error) => this.#refused(error));
  }

  /** Once a second. */
  look(now: number, { mark, stands }: Look): void {
    this.#sink.look();
    if (now - this.#sentAt >= HEARTBEAT_MS) {
      this.#sink.send(HEARTBEAT);
      this.#sentAt = now;
    }
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    const { standing } = this.#input;
    const { expiresAt } = standing;
    if (expiresAt !== null && expiresAt <= this.#services.clock.now()) return this.#lost();
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.#markedAt = now;
    }
    // What was remembered of keys and sessions before that may have been older than the mark.
    if (mark !== null && this.#askedAt - this.#markedAt >= CACHE_MS) return;
    this.#askedAt = now;
    stands(standing).then((stillStands) => stillStands || this.#lost());
  }

  /** The server stops. */
  stop(): void {
    this.#sink.end(STOPPING);
    this.#end();
  }

  async #begin({ after, isAgain }: { after: string | null; isAgain: boolean }): Promise<void> {
    const beginning = ++this.#beginning;
    const isOvertaken = () => this.#isEnded || beginning !== this.#beginning;
    this.#early = [];
    this.#earlyBytes = 0;
    this.#total = null;
    const plan = await planLive(this.#services, this.#caller, this.#input);
    const joined = await this.#around.hubs.join(plan, this);
    if (isOvertaken()) return joined.leave();
    this.#joined = joined;
    const caughtUp = after === null
      ? null
      : await this.#catchUp(plan, { joined, after, isOvertaken });
    if (isOvertaken()) return;
    const isReset = isAgain || (after !== null && caughtUp === null);
    const { sent, counted } = caughtUp ?? await this.#sendList(plan, { isReset, isOvertaken });
    if (isOvertaken()) return;
    const early = this.#early;
    this.#early = null;
    for (const told of early) {
      if (told.position > sent) this.#send(told, told.position <= counted);
    }
  }

  /** Sends what happened since an event; resolves to null where that is not known any more. */
  async #catchUp(
    plan: LivePlan,
    { joined: { channel, parse }, after, isOvertaken }: {
      joined: Joined;
      after: string;
      isOvertaken: () => boolean;
    },
  ): Promise<Beginning | null> {
    const { engine, livePositions } = this.#services;
    const { caller: { projectId }, collection } = plan;
    let position = livePositions.read(after, { projectId, collection });
    if (position === null || position > await engine.changes.head(projectId)) return null;
    await using feed = engine.changes.follow(projectId, position);
    try {
      for await (const { changes } of feed) {
        for (const change of changes) {
          position = change.position;
          if (change.name !== collection.definition.name) continue;
          const told = channel.seen(parse(change));
          if (told !== null) this.#send(told);
        }
        if (changes.length === 0) break;
        await nextTurn();
        if (isOvertaken() || this.#sink.isBehind()) return null;
      }
    } catch (error) {
      // Of what a pattern takes too long in, the list can be told anew.
      if (error instanceof PositionLost || error instanceof QueryTooSlow) return null;
      throw error;
    }
    const { list: { source, filter, request } } = plan;
    if (request.total === "none") return { sent: position, counted: position };
    const count = await this.#still(projectId, () => source.records.count(filter));
    if (!isOvertaken()) this.#total = count.read;
    return { sent: position, counted: count.position };
  }

  async #sendList(
    plan: LivePlan,
    { isReset, isOvertaken }: { isReset: boolean; isOvertaken: () => boolean },
  ): Promise<Beginning> {
    const { caller: { projectId }, collection, snapshot } = plan;
    const { position, list } = await this.#read(plan);
    const beginning = { sent: position, counted: position };
    if (isOvertaken()) return beginning;
    const id = this.#services.livePositions.write(position, { projectId, collection });
    const body = list === null ? "" : `event: list\ndata: ${dataOf(list)}\n`;
    this.#total = snapshot ? list?.total ?? null : null;
    this.#sink.sendFirst(encoded(`${isReset ? RESET : ""}id: ${id}\n${body}\n`));
    this.#sentAt = this.#services.clock.elapsed();
    return beginning;
  }

  async #read({ caller, snapshot, collectionName, query }: LivePlan) {
    const { engine } = this.#services;
    const { projectId } = caller;
    if (!snapshot) return { position: await engine.changes.head(projectId), list: null };
    const read = () => listDocuments(this.#services, caller, { collectionName, query });
    const { position, read: list } = await this.#still(projectId, read);
    return { position, list };
  }

  /** What is read, and the position at which it is just what is committed, if one can be had. */
  async #still<T>(
    projectId: string,
    read: () => Promise<T>,
  ): Promise<{ position: ChangePosition; read: T }> {
    const { engine } = this.#services;
    for (let reading = 1;; reading++) {
      const version = engine.version?.(projectId);
      const position = await engine.changes.head(projectId);
      const result = await read();
      if (reading === SNAPSHOTS_MAX || await this.#isStill(projectId, { version, position })) {
        return { position, read: result };
      }
    }
  }

  /** Whether nothing has been written since. */
  async #isStill(
    projectId: string,
    { version, position }: { version: string | undefined; position: ChangePosition },
  ): Promise<boolean> {
    if (version !== undefined) return this.#services.engine.version?.(projectId) === version;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return !this.#early?.some((told) => told.position > position);
  }

  /** @param isCounted Whether the total has it already. */
  #send(told: Told, isCounted = false): void {
    if (this.#total !== null && !isCounted) this.#total += told.added;
    // For who gets none of it, it is not written out: that costs more than all else.
    if (this.#sink.isBehind()) return;
    this.#sink.send(told.event(isCounted ? null : this.#total));
    this.#sentAt = this.#services.clock.elapsed();
  }

  #lost(): void {
    this.#refused(new Problem("ACCESS_TOKEN_INVALID"));
  }

  /** They may not go on listening, or what they ask for is not there any more. */
  #refused(error: unknown): void {
    if (this.#isEnded) return;
    if (error instanceof Problem) {
      const { code, message } = error;
      this.#sink.end(
        encoded(`event: unauthorized\ndata: ${JSON.stringify({ code, message })}\n\n`),
      );
    } else {
      this.#services.log.write("warn", "A live list ended", { error: String(error) });
      this.#sink.end(encoded(RESET));
    }
    this.#end();
  }

  #stopListening(): void {
    this.#beginning++;
    this.#joined?.leave();
    this.#joined = null;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopListening();
    this.#around.ended();
  }
}
