import type { LimitFunction } from "p-limit";
import { listJson } from "../../documents/list_json.ts";
import { listDocuments, type ListServices } from "../../documents/list_documents.ts";
import type { Clock } from "../../clock.ts";
import { LIVE_BEHIND_BYTES_MAX } from "../../limits.ts";
import { inSlices, nextTurn } from "../../next_turn.ts";
import { Problem } from "../../problems.ts";
import type { Deliveries } from "../../http/deliveries.ts";
import type { Log } from "../../runtime/log.ts";
import { PositionLost, QueryTooSlow } from "../../store/errors.ts";
import type { ChangePosition, Id } from "../../store/port.ts";
import type { Caller } from "../../auth/principals.ts";
import type { Channel, Subscriber, Told } from "./channel.ts";
import type { Hubs, Joined } from "./hubs.ts";
import { type LivePlan, type LiveQuery, planLive } from "./plan.ts";
import type { LivePositions } from "./positions.ts";
import { encoded, Sink } from "./sink.ts";
import type { Standing } from "./standing.ts";

export interface LiveServices extends ListServices {
  readonly deliveries: Pick<Deliveries, "budget">;
  readonly clock: Clock;
  readonly log: Log;
  readonly livePositions: LivePositions;
}

export interface LiveInput extends LiveQuery {
  /** Whose share of the memory for answers the list takes until it is read. */
  readonly holder: string;
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

/** What all streams are looked at with. */
export interface StreamLook {
  /** By the clock that is never set back. */
  readonly now: number;
  /** Never rejects. */
  stands(standing: Standing): Promise<boolean>;
}

/** With the second that passes between two looks a comment comes every fifteen at least. */
const HEARTBEAT_MS = 14_000;

const HEARTBEAT = encoded(":\n\n");
const STOPPING = encoded(": The server stops: come back, and go on from the last event.\n\n");
const FAILED = encoded(": It cannot go on: come back, and go on from the last event.\n\n");
const RESET = "event: reset\ndata: {}\n\n";

/** What a client that comes back has missed. */
interface Missed {
  /** Up to where it is told. */
  readonly upTo: ChangePosition;
  /** It is to have the total beside it, and is not sent yet; null where nothing was missed. */
  readonly last: Told | null;
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
  /** Whether its changes say how many the list has. */
  #saysTotal = false;
  /** Counts beginnings: one that another has overtaken ends. */
  #beginning = 0;
  #isEnded = false;
  #sentAt: number;
  /** When it was last asked whether its caller still stands. */
  #askedAt: number;

  constructor(
    services: LiveServices,
    { caller, ...input }: LiveInput & { readonly caller: Caller },
    around: LiveSurroundings,
  ) {
    this.#services = services;
    this.#caller = caller;
    this.#input = input;
    this.#around = around;
    this.#sentAt = this.#askedAt = services.clock.elapsed();
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

  toldAgain(told: Told): void {
    if (this.#saysTotal) this.told(told);
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
  look({ now, stands }: StreamLook): void {
    this.#sink.look();
    if (now - this.#sentAt >= HEARTBEAT_MS) {
      this.#sink.send(HEARTBEAT);
      this.#sentAt = now;
    }
    const { standing } = this.#input;
    const { expiresAt } = standing;
    if (expiresAt !== null && expiresAt <= this.#services.clock.now()) return this.#lost();
    if (now - this.#askedAt < standing.everyMs) return;
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
    const plan = await planLive(this.#services, this.#caller, this.#input);
    const joined = await this.#around.hubs.join(plan, this);
    if (isOvertaken()) return joined.leave();
    this.#joined = joined;
    const missed = after === null
      ? null
      : await this.#catchUp(plan, { joined, after, isOvertaken });
    if (isOvertaken()) return;
    const isReset = isAgain || (after !== null && missed === null);
    const { upTo, last } = missed ??
      await this.#sendList(plan, { channel: joined.channel, isReset, isOvertaken });
    if (isOvertaken()) return;
    const early = this.#early;
    this.#early = null;
    if (last !== null) this.#send(last);
    for (const told of early) {
      if (told.position > upTo) this.#send(told);
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
  ): Promise<Missed | null> {
    const { engine, livePositions } = this.#services;
    const { caller: { projectId }, collection } = plan;
    let upTo = livePositions.read(after, { projectId, collection });
    if (upTo === null || upTo > await engine.changes.head(projectId)) return null;
    let last: Told | null = null;
    this.#saysTotal = false;
    await using feed = engine.changes.follow(projectId, upTo);
    try {
      for await (const { changes } of feed) {
        await inSlices(changes, (change) => {
          upTo = change.position;
          if (change.name !== collection.definition.name) return;
          const told = channel.seen(parse(change));
          if (told === null) return;
          if (last !== null) this.#send(last);
          last = told;
        });
        if (changes.length === 0) break;
        await nextTurn();
        if (isOvertaken() || this.#sink.isBehind()) return null;
      }
    } catch (error) {
      // Of what a pattern takes too long in, the list can be told anew.
      if (error instanceof PositionLost || error instanceof QueryTooSlow) return null;
      throw error;
    }
    this.#saysTotal = plan.list.request.total !== "none";
    if (this.#saysTotal && channel.total.value === null) await channel.total.count();
    return { upTo, last };
  }

  /** A page that has its list already gets none, unless it has to forget it. */
  async #sendList(
    plan: LivePlan,
    { channel, isReset, isOvertaken }: {
      channel: Channel;
      isReset: boolean;
      isOvertaken: () => boolean;
    },
  ): Promise<Missed> {
    const { caller, collection, collectionName, query, snapshot } = plan;
    const { projectId } = caller;
    const { engine, livePositions } = this.#services;
    const read = () => listDocuments(this.#services, caller, { collectionName, query });
    const { position, found } = snapshot || isReset
      ? await channel.total.read(read)
      : { position: await engine.changes.head(projectId), found: null };
    const begun = { upTo: position, last: null };
    if (isOvertaken()) return begun;
    const id = livePositions.write(position, { projectId, collection });
    const body = found === null ? "" : `event: list\ndata: ${listJson(found)}\n`;
    this.#saysTotal = typeof found?.total === "number";
    const chunk = encoded(`${isReset ? RESET : ""}id: ${id}\n${body}\n`);
    const held = this.#services.deliveries.budget.open(this.#input.holder);
    held.add(chunk.length);
    this.#sink.sendFirst(chunk, held);
    this.#sentAt = this.#services.clock.elapsed();
    return begun;
  }

  #send(told: Told): void {
    // For who gets none of it, it is not written out: that costs more than all else.
    if (this.#sink.isBehind()) return;
    // Who has just caught up begins anew.
    if (this.#joined === null) return;
    this.#sink.send(told.event(this.#saysTotal ? this.#joined.channel.total.value : null));
    this.#sentAt = this.#services.clock.elapsed();
  }

  #lost(): void {
    this.#refused(new Problem("ACCESS_TOKEN_INVALID"));
  }

  /**
   * They may not go on listening, or what they ask for is not there any more. What fails otherwise,
   * such as the store, is for them to try again.
   */
  #refused(error: unknown): void {
    if (this.#isEnded) return;
    if (error instanceof Problem && error.code !== "SERVER_BUSY") {
      const { code, message } = error;
      this.#sink.end(
        encoded(`event: unauthorized\ndata: ${JSON.stringify({ code, message })}\n\n`),
      );
    } else {
      this.#services.log.write("warn", "A live list ended", { error: String(error) });
      this.#sink.end(FAILED);
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
