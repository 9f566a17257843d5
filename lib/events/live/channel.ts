import { compileMatcher, type Matcher } from "../../documents/match.ts";
import { applyPresentation, isPlain } from "../../documents/present.ts";
import { jsonText, parseJson } from "../../store/json_text.ts";
import type {
  ChangePosition,
  Engine,
  Id,
  PositionedChange,
  StoredRecord,
} from "../../store/port.ts";
import { CountedTotal } from "./counted_total.ts";
import type { ListStep } from "./list_total.ts";
import type { LivePlan } from "./plan.ts";
import { encodeText } from "./sink.ts";

/** A change of a live list, as its listeners receive it. */
export interface ListEvent extends ListStep {
  /** Approximate memory in bytes. */
  readonly memoryBytes: number;
  /** @param total The current number of documents in the list; null to leave it out. */
  encode(total: number | null): Uint8Array<ArrayBuffer>;
}

/** A change whose documents are parsed once for all listeners. */
export class ParsedChange {
  readonly change: PositionedChange;
  /** The event id, with which a client continues after a reconnect. */
  readonly id: string;
  #before: StoredRecord | null | undefined;
  #after: StoredRecord | null | undefined;

  constructor(change: PositionedChange, id: string) {
    this.change = change;
    this.id = id;
  }

  get before(): StoredRecord | null {
    return this.#before ??= parseRecord(this.change.before);
  }

  get after(): StoredRecord | null {
    return this.#after ??= parseRecord(this.change.after);
  }
}

const parseRecord = (json: string | null): StoredRecord | null =>
  json === null ? null : parseJson(json) as StoredRecord; // As it was stored.

export interface Subscriber {
  receive(event: ListEvent): void;
  /** Sends the last event again, with the total that was unknown when it was sent first. */
  repeat(event: ListEvent): void;
  /** Called when the list cannot be followed, because a pattern is too slow for a document. */
  failed(error: unknown): void;
  /** Reads the list again, because changes may have been lost. */
  restart(): void;
}

/** The pattern cost that SQLite allows on the event loop: about ten milliseconds. */
const MATCH_LIMITS = { patternCostMax: 50_000 };

/** Subscribers that listen to one list with equal access, and receive the same events. */
export class Channel {
  readonly subscribers = new Set<Subscriber>();
  readonly total: CountedTotal<ListEvent>;
  readonly #plan: LivePlan;
  readonly #matches: Matcher;

  constructor(engine: Engine, plan: LivePlan) {
    this.total = new CountedTotal(engine, plan, (event) => {
      for (const subscriber of this.subscribers) subscriber.repeat(event);
    });
    this.#plan = plan;
    this.#matches = compileMatcher(plan.collection.records, plan.list.filter, MATCH_LIMITS);
  }

  dispatch(change: ParsedChange): void {
    try {
      const event = this.eventFor(change);
      if (event === null) return;
      this.total.follow(event);
      for (const subscriber of this.subscribers) subscriber.receive(event);
    } catch (error) {
      for (const subscriber of [...this.subscribers]) subscriber.failed(error);
    }
  }

  /** Returns the event of a change; null if it does not affect the list. Throws `QueryTooSlow`. */
  eventFor({ change, id, before, after }: ParsedChange): ListEvent | null {
    const matchedBefore = before !== null && this.#matches(before);
    const matchesNow = after !== null && this.#matches(after);
    if (!matchedBefore && !matchesNow) return null;
    const action = matchedBefore ? matchesNow ? "changed" : "removed" : "added";
    const document = matchesNow ? this.#documentJson(change.after!, after) : null;
    return new ListChangeEvent(
      { position: change.position, id, action, recordId: change.recordId },
      document,
    );
  }

  #documentJson(json: string, document: StoredRecord): string {
    const { request } = this.#plan.list;
    return isPlain(request) ? json : jsonText(applyPresentation(document, request));
  }
}

interface ListChange {
  readonly position: ChangePosition;
  readonly id: string;
  readonly action: "added" | "changed" | "removed";
  readonly recordId: Id;
}

const ADDED_BY_ACTION = { added: 1, changed: 0, removed: -1 } as const;

class ListChangeEvent implements ListEvent {
  readonly #change: ListChange;
  readonly #document: string | null;
  /** Encoded for the last total, because most subscribers have the same one. */
  #lastEncoded: { readonly total: number | null; readonly event: Uint8Array<ArrayBuffer> } | null =
    null;

  constructor(what: ListChange, document: string | null) {
    this.#change = what;
    this.#document = document;
  }

  get position(): ChangePosition {
    return this.#change.position;
  }

  get added(): -1 | 0 | 1 {
    return ADDED_BY_ACTION[this.#change.action];
  }

  get memoryBytes(): number {
    return 2 * (this.#document?.length ?? 0);
  }

  encode(total: number | null): Uint8Array<ArrayBuffer> {
    if (this.#lastEncoded?.total !== total) {
      this.#lastEncoded = { total, event: this.#encode(total) };
    }
    return this.#lastEncoded!.event;
  }

  #encode(total: number | null): Uint8Array<ArrayBuffer> {
    const { id, action, recordId } = this.#change;
    const document = this.#document === null ? "" : `,"document":${this.#document}`;
    const count = total === null ? "" : `,"total":${total}`;
    return encodeText(
      `id: ${id}\nevent: change\ndata: {"action":"${action}","id":"${recordId}"${document}${count}}\n\n`,
    );
  }
}
