import type { LimitFunction } from "p-limit";
import { listJson } from "../../documents/list_json.ts";
import { listDocuments, type ListServices } from "../../documents/list_documents.ts";
import type { Clock } from "../../clock.ts";
import { LIVE_BEHIND_BYTES_MAX } from "../../limits.ts";
import { inSlices, nextTurn } from "../../next_turn.ts";
import { Problem } from "../../problems.ts";
import type { ResponseStreams } from "../../http/response_streams.ts";
import type { Log } from "../../runtime/log.ts";
import { PositionLost, QueryTooSlow } from "../../store/errors.ts";
import type { ChangePosition, Id } from "../../store/port.ts";
import type { Caller } from "../../auth/principals.ts";
import type { Channel, ListEvent, Subscriber } from "./channel.ts";
import type { Hubs, Subscription } from "./hubs.ts";
import { type LivePlan, type LiveQuery, planLive } from "./plan.ts";
import type { LivePositions } from "./positions.ts";
import { encodeText, Sink } from "./sink.ts";
import type { ListenerAccess } from "./listener_access.ts";

export interface LiveServices extends ListServices {
  readonly responseStreams: Pick<ResponseStreams, "budget">;
  readonly clock: Clock;
  readonly log: Log;
  readonly livePositions: LivePositions;
}

export interface LiveInput extends LiveQuery {
  /** The holder to whose memory budget the list is charged until it is read. */
  readonly holder: string;
  readonly access: ListenerAccess;
  /** The `Last-Event-ID` header; null without one. */
  readonly lastEventId: string | null;
}

export interface LiveStreamOptions {
  readonly hubs: Hubs;
  /** Limits the number of lists that are read concurrently for streams that restart. */
  readonly turn: LimitFunction;
  readonly onEnd: () => void;
}

export interface StreamCheck {
  /** Time of the monotonic clock, in milliseconds. */
  readonly now: number;
  /** Never rejects. */
  hasAccess(access: ListenerAccess): Promise<boolean>;
}

/** Checks run once a second, so at most 15 s pass between two heartbeats. */
const HEARTBEAT_MS = 14_000;

const HEARTBEAT = encodeText(":\n\n");
const STOPPING = encodeText(": The server stops. Reconnect to continue after the last event.\n\n");
const FAILED = encodeText(": The stream failed. Reconnect to continue after the last event.\n\n");
const RESET = "event: reset\ndata: {}\n\n";

/** State of a stream that has sent its list, or the changes that a reconnected client missed. */
interface CaughtUp {
  /** Position up to which changes are sent. */
  readonly upTo: ChangePosition;
  /** The last missed change, to be sent with the current total; null if nothing was missed. */
  readonly last: ListEvent | null;
}

export class LiveStream implements Subscriber {
  readonly #services: LiveServices;
  readonly #caller: Caller;
  readonly #input: LiveInput;
  readonly #options: LiveStreamOptions;
  readonly #sink: Sink;
  #subscription: Subscription | null = null;
  /** Changes received before the list was sent; null once changes are sent immediately. */
  #buffered: ListEvent[] | null = [];
  #bufferedBytes = 0;
  /** Whether change events include the total. */
  #includesTotal = false;
  /** Number of the current start. A start that another one has replaced ends. */
  #attempt = 0;
  #isEnded = false;
  #sentAt: number;
  #accessCheckedAt: number;

  constructor(
    services: LiveServices,
    { caller, ...input }: LiveInput & { readonly caller: Caller },
    options: LiveStreamOptions,
  ) {
    this.#services = services;
    this.#caller = caller;
    this.#input = input;
    this.#options = options;
    this.#sentAt = this.#accessCheckedAt = services.clock.elapsed();
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

  /** Resolves when the first bytes can be read. Throws the problems of the query. */
  async open(): Promise<void> {
    try {
      await this.#start({ after: this.#input.lastEventId, isAgain: false });
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  receive(event: ListEvent): void {
    if (this.#buffered === null) return this.#send(event);
    this.#buffered.push(event);
    this.#bufferedBytes += event.memoryBytes;
    // Reading the list takes too long to buffer its changes, so it is read again.
    if (this.#bufferedBytes > LIVE_BEHIND_BYTES_MAX) this.restart();
  }

  repeat(event: ListEvent): void {
    if (this.#includesTotal) this.receive(event);
  }

  failed(error: unknown): void {
    this.#endWithError(error);
  }

  restart(): void {
    if (this.#isEnded) return;
    this.#unsubscribe();
    const begin = () => this.#start({ after: null, isAgain: true });
    this.#options.turn(begin).catch((error) => this.#endWithError(error));
  }

  /** Sends heartbeats and checks the caller's access. Called once a second. */
  check({ now, hasAccess }: StreamCheck): void {
    this.#sink.check();
    if (now - this.#sentAt >= HEARTBEAT_MS) {
      this.#sink.send(HEARTBEAT);
      this.#sentAt = now;
    }
    const { access } = this.#input;
    const { expiresAt } = access;
    if (expiresAt !== null && expiresAt <= this.#services.clock.now()) {
      return this.#endUnauthorized();
    }
    if (now - this.#accessCheckedAt < access.checkEveryMs) return;
    this.#accessCheckedAt = now;
    hasAccess(access).then((isValid) => isValid || this.#endUnauthorized());
  }

  stop(): void {
    this.#sink.end(STOPPING);
    this.#end();
  }

  async #start({ after, isAgain }: { after: string | null; isAgain: boolean }): Promise<void> {
    const attempt = ++this.#attempt;
    const isReplaced = () => this.#isEnded || attempt !== this.#attempt;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    const plan = await planLive(this.#services, this.#caller, this.#input);
    const subscription = await this.#options.hubs.join(plan, this);
    if (isReplaced()) return subscription.leave();
    this.#subscription = subscription;
    const missed = after === null
      ? null
      : await this.#catchUp(plan, { subscription, after, isReplaced });
    if (isReplaced()) return;
    const isReset = isAgain || (after !== null && missed === null);
    const { upTo, last } = missed ??
      await this.#sendList(plan, { channel: subscription.channel, isReset, isReplaced });
    if (isReplaced()) return;
    const buffered = this.#buffered;
    this.#buffered = null;
    if (last !== null) this.#send(last);
    for (const event of buffered) {
      if (event.position > upTo) this.#send(event);
    }
  }

  /** Sends the changes since an event. Returns null if they are no longer available. */
  async #catchUp(
    plan: LivePlan,
    { subscription: { channel, parse }, after, isReplaced }: {
      subscription: Subscription;
      after: string;
      isReplaced: () => boolean;
    },
  ): Promise<CaughtUp | null> {
    const { engine, livePositions } = this.#services;
    const { caller: { projectId }, collection } = plan;
    let upTo = livePositions.read(after, { projectId, collection });
    if (upTo === null || upTo > await engine.changes.head(projectId)) return null;
    let last: ListEvent | null = null;
    this.#includesTotal = false;
    await using feed = engine.changes.follow(projectId, upTo);
    try {
      for await (const { changes } of feed) {
        await inSlices(changes, (change) => {
          upTo = change.position;
          if (change.name !== collection.definition.name) return;
          const event = channel.eventFor(parse(change));
          if (event === null) return;
          if (last !== null) this.#send(last);
          last = event;
        });
        if (changes.length === 0) break;
        await nextTurn();
        if (isReplaced() || this.#sink.isBehind()) return null;
      }
    } catch (error) {
      // The list can still be read again if a pattern is too slow for a changed document.
      if (error instanceof PositionLost || error instanceof QueryTooSlow) return null;
      throw error;
    }
    this.#includesTotal = plan.list.request.total !== "none";
    if (this.#includesTotal && channel.total.value === null) await channel.total.count();
    return { upTo, last };
  }

  /** Sends the list, unless the client asked for no snapshot and this is not a reset. */
  async #sendList(
    plan: LivePlan,
    { channel, isReset, isReplaced }: {
      channel: Channel;
      isReset: boolean;
      isReplaced: () => boolean;
    },
  ): Promise<CaughtUp> {
    const { caller, collection, collectionName, query, snapshot } = plan;
    const { projectId } = caller;
    const { engine, livePositions } = this.#services;
    const read = () => listDocuments(this.#services, caller, { collectionName, query });
    const { position, found } = snapshot || isReset
      ? await channel.total.read(read)
      : { position: await engine.changes.head(projectId), found: null };
    const caughtUp = { upTo: position, last: null };
    if (isReplaced()) return caughtUp;
    const id = livePositions.write(position, { projectId, collection });
    const body = found === null ? "" : `event: list\ndata: ${listJson(found)}\n`;
    this.#includesTotal = typeof found?.total === "number";
    const chunk = encodeText(`${isReset ? RESET : ""}id: ${id}\n${body}\n`);
    const reservation = this.#services.responseStreams.budget.open(this.#input.holder);
    reservation.add(chunk.length);
    this.#sink.sendUnbounded(chunk, reservation);
    this.#sentAt = this.#services.clock.elapsed();
    return caughtUp;
  }

  #send(event: ListEvent): void {
    // Checked before the event is encoded, because encoding is the most expensive step.
    if (this.#sink.isBehind()) return;
    // The check above restarts a stream whose reader has just caught up.
    if (this.#subscription === null) return;
    this.#sink.send(
      event.encode(this.#includesTotal ? this.#subscription.channel.total.value : null),
    );
    this.#sentAt = this.#services.clock.elapsed();
  }

  #endUnauthorized(): void {
    this.#endWithError(new Problem("ACCESS_TOKEN_INVALID"));
  }

  /** Sends `unauthorized` if access or collection are gone; else the client may reconnect. */
  #endWithError(error: unknown): void {
    if (this.#isEnded) return;
    if (error instanceof Problem && error.code !== "SERVER_BUSY") {
      const { code, message } = error;
      this.#sink.end(
        encodeText(`event: unauthorized\ndata: ${JSON.stringify({ code, message })}\n\n`),
      );
    } else {
      this.#services.log.write("warn", "A live list ended", { error: String(error) });
      this.#sink.end(FAILED);
    }
    this.#end();
  }

  #unsubscribe(): void {
    this.#attempt++;
    this.#subscription?.leave();
    this.#subscription = null;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#unsubscribe();
    this.#options.onEnd();
  }
}
