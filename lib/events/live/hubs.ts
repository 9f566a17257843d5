import type { LimitFunction } from "p-limit";
import type { Catalog } from "../../documents/catalog.ts";
import type { Collection } from "../../documents/collection.ts";
import { inSlices } from "../../next_turn.ts";
import type { Engine, Id, PositionedChange } from "../../store/port.ts";
import type { ChangeFeeds, ChangeListener } from "../change_feeds.ts";
import { Channel, ParsedChange, type Subscriber } from "./channel.ts";
import type { LivePlan } from "./plan.ts";
import type { LivePositions } from "./positions.ts";

export interface HubServices {
  readonly engine: Engine;
  readonly catalog: Pick<Catalog, "find">;
  readonly changeFeeds: ChangeFeeds;
  readonly livePositions: LivePositions;
}

export interface HubCheck {
  /** Time of the monotonic clock, in milliseconds. */
  readonly now: number;
  readonly turn: LimitFunction;
}

/** The membership of a subscriber in a channel. */
export interface Subscription {
  readonly channel: Channel;
  /** Parses a change and adds its event id. */
  parse(change: PositionedChange): ParsedChange;
  leave(): void;
}

/** The channels of one collection in one version of its definition. */
class Hub implements ChangeListener {
  readonly channels = new Map<string, Channel>();
  readonly #services: HubServices;
  readonly #projectId: Id;
  readonly #collection: Collection;
  readonly #onEnd: () => void;
  #queue: PositionedChange[] = [];
  #isDispatching = false;
  #isEnded = false;
  #listening: Promise<Disposable> | null = null;

  constructor(
    services: HubServices,
    { caller: { projectId }, collection }: LivePlan,
    onEnd: () => void,
  ) {
    this.#services = services;
    this.#projectId = projectId;
    this.#collection = collection;
    this.#onEnd = onEnd;
  }

  async join(plan: LivePlan, subscriber: Subscriber): Promise<Subscription> {
    let channel = this.channels.get(plan.channel);
    if (channel === undefined) {
      channel = new Channel(this.#services.engine, plan);
      this.channels.set(plan.channel, channel);
    }
    channel.subscribers.add(subscriber);
    const joined = channel;
    const leave = () => {
      if (!joined.subscribers.delete(subscriber) || joined.subscribers.size > 0) return;
      this.channels.delete(plan.channel);
      if (this.channels.size === 0) this.#end();
    };
    const { changeFeeds } = this.#services;
    this.#listening ??= changeFeeds.listen(this.#projectId, this.#collection.definition.name, this);
    try {
      await this.#listening;
    } catch (error) {
      leave();
      throw error;
    }
    return { channel, parse: (change) => this.#parse(change), leave };
  }

  receive(change: PositionedChange): void {
    this.#queue.push(change);
    if (!this.#isDispatching) void this.#dispatchAll();
  }

  missed(): void {
    for (const subscriber of this.#subscribers()) subscriber.restart();
  }

  /** Restarts the subscribers if the definition has changed. */
  async check({ now, turn }: HubCheck): Promise<void> {
    for (const channel of this.channels.values()) void channel.total.check(now, turn);
    if (await this.#isOutdated()) this.#restart();
  }

  /** Checks before each change whether the definition, which decides about access, is current. */
  async #dispatchAll(): Promise<void> {
    this.#isDispatching = true;
    for (let change = this.#queue.shift(); change !== undefined; change = this.#queue.shift()) {
      if (await this.#isOutdated()) this.#restart();
      if (this.#isEnded) return;
      const parsed = this.#parse(change);
      await inSlices([...this.channels.values()], (channel) => channel.dispatch(parsed));
    }
    this.#isDispatching = false;
  }

  async #isOutdated(): Promise<boolean> {
    try {
      const found = this.#services.catalog.find(this.#projectId, this.#collection.definition.name);
      const collection = found instanceof Promise ? await found : found;
      return collection?.version !== this.#collection.version;
    } catch {
      // Changes must not be sent if it is unknown whether they are allowed.
      return true;
    }
  }

  #parse(change: PositionedChange): ParsedChange {
    const scope = { projectId: this.#projectId, collection: this.#collection };
    return new ParsedChange(change, this.#services.livePositions.write(change.position, scope));
  }

  #subscribers(): Subscriber[] {
    return [...this.channels.values()].flatMap(({ subscribers }) => [...subscribers]);
  }

  #restart(): void {
    const all = this.#subscribers();
    this.#end();
    for (const subscriber of all) subscriber.restart();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#queue = [];
    this.#onEnd();
    this.#listening?.then((listening) => listening[Symbol.dispose](), () => {});
  }
}

/** The hubs of all collections that have listeners in this process. */
export class Hubs {
  readonly #services: HubServices;
  readonly #hubs = new Map<string, Hub>();

  constructor(services: HubServices) {
    this.#services = services;
  }

  /** Subscribes to a list. The subscriber receives all changes committed after this resolves. */
  async join(plan: LivePlan, subscriber: Subscriber): Promise<Subscription> {
    const key = `${plan.caller.projectId} ${plan.collection.version}`;
    let hub = this.#hubs.get(key);
    if (hub === undefined) {
      hub = new Hub(this.#services, plan, () => void this.#hubs.delete(key));
      this.#hubs.set(key, hub);
    }
    return await hub.join(plan, subscriber);
  }

  /** Finds changed definitions of collections that have had no changes since. */
  check(options: HubCheck): void {
    for (const hub of this.#hubs.values()) void hub.check(options);
  }
}
