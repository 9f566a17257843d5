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

/** What collections that are listened to are looked at with, once a second. */
export interface HubLook {
  /** By the clock that is never set back. */
  readonly now: number;
  /** How many counts go on at once. */
  readonly turn: LimitFunction;
}

/** What a subscriber has joined. */
export interface Joined {
  readonly channel: Channel;
  /** The id of a change for whoever listens to the collection. */
  parse(change: PositionedChange): ParsedChange;
  leave(): void;
}

/** One collection in one state of its definition, which somebody listens to. */
class Hub implements ChangeListener {
  readonly channels = new Map<string, Channel>();
  readonly #services: HubServices;
  readonly #projectId: Id;
  readonly #collection: Collection;
  readonly #ended: () => void;
  #queue: PositionedChange[] = [];
  #isTelling = false;
  #isEnded = false;
  #listening: Promise<Disposable> | null = null;

  constructor(
    services: HubServices,
    { caller: { projectId }, collection }: LivePlan,
    ended: () => void,
  ) {
    this.#services = services;
    this.#projectId = projectId;
    this.#collection = collection;
    this.#ended = ended;
  }

  async join(plan: LivePlan, subscriber: Subscriber): Promise<Joined> {
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

  tell(change: PositionedChange): void {
    this.#queue.push(change);
    if (!this.#isTelling) void this.#tellAll();
  }

  missed(): void {
    for (const subscriber of this.#subscribers()) subscriber.restart();
  }

  /** Begins anew where another definition stands by now. */
  async look({ now, turn }: HubLook): Promise<void> {
    for (const channel of this.channels.values()) void channel.total.look(now, turn);
    if (await this.#isOutdated()) this.#restart();
  }

  /** What the definition allows is looked at before each change: it may be another one since. */
  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    for (let change = this.#queue.shift(); change !== undefined; change = this.#queue.shift()) {
      if (await this.#isOutdated()) this.#restart();
      if (this.#isEnded) return;
      const parsed = this.#parse(change);
      await inSlices([...this.channels.values()], (channel) => channel.tell(parsed));
    }
    this.#isTelling = false;
  }

  async #isOutdated(): Promise<boolean> {
    try {
      const found = this.#services.catalog.find(this.#projectId, this.#collection.definition.name);
      const collection = found instanceof Promise ? await found : found;
      return collection?.version !== this.#collection.version;
    } catch {
      // What cannot be found out is no reason to go on telling.
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
    this.#ended();
    this.#listening?.then((listening) => listening[Symbol.dispose](), () => {});
  }
}

/** Collections that somebody listens to, each once. */
export class Hubs {
  readonly #services: HubServices;
  readonly #hubs = new Map<string, Hub>();

  constructor(services: HubServices) {
    this.#services = services;
  }

  /** From when it resolves on the subscriber is told of all that its list shows of changes. */
  async join(plan: LivePlan, subscriber: Subscriber): Promise<Joined> {
    const key = `${plan.caller.projectId} ${plan.collection.version}`;
    let hub = this.#hubs.get(key);
    if (hub === undefined) {
      hub = new Hub(this.#services, plan, () => void this.#hubs.delete(key));
      this.#hubs.set(key, hub);
    }
    return await hub.join(plan, subscriber);
  }

  /** Looks whether definitions have changed that nobody has written under since. */
  look(look: HubLook): void {
    for (const hub of this.#hubs.values()) void hub.look(look);
  }
}
