import { compileMatcher, type Matcher } from "../../documents/match.ts";
import { isPlain, partShown } from "../../documents/present.ts";
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
import { encoded } from "./sink.ts";

/** A change as those see it who listen to one list. */
export interface Told extends ListStep {
  /** About how much memory it holds. */
  readonly bytes: number;
  /** The event. @param total How many the list has now; null where that is not to be said. */
  event(total: number | null): Uint8Array<ArrayBuffer>;
}

/** A change with its documents parsed: once, for all who listen. */
export class ParsedChange {
  readonly change: PositionedChange;
  /** Names its place to whoever comes back. */
  readonly id: string;
  #before: StoredRecord | null | undefined;
  #after: StoredRecord | null | undefined;

  constructor(change: PositionedChange, id: string) {
    this.change = change;
    this.id = id;
  }

  get before(): StoredRecord | null {
    return this.#before ??= parsed(this.change.before);
  }

  get after(): StoredRecord | null {
    return this.#after ??= parsed(this.change.after);
  }
}

const parsed = (json: string | null): StoredRecord | null =>
  json === null ? null : parseJson(json) as StoredRecord; // As it was stored.

export interface Subscriber {
  told(told: Told): void;
  /** The last change: it was told while the total was not known. */
  toldAgain(told: Told): void;
  /** What it listens to cannot be told: a pattern takes too long in a document. */
  failed(error: unknown): void;
  /** What it knows may be wrong: it begins anew. */
  restart(): void;
}

/** As much as SQLite allows a pattern on the thread that serves: some ten milliseconds. */
const LIMITS = { patternCostMax: 50_000 };

/** All who listen to the same list with the same rights, and are told the same. */
export class Channel {
  readonly subscribers = new Set<Subscriber>();
  readonly total: CountedTotal<Told>;
  readonly #plan: LivePlan;
  readonly #matches: Matcher;

  constructor(engine: Engine, plan: LivePlan) {
    this.total = new CountedTotal(engine, plan, (told) => {
      for (const subscriber of this.subscribers) subscriber.toldAgain(told);
    });
    this.#plan = plan;
    this.#matches = compileMatcher(plan.collection.records, plan.list.filter, LIMITS);
  }

  tell(change: ParsedChange): void {
    try {
      const told = this.seen(change);
      if (told === null) return;
      this.total.follow(told);
      for (const subscriber of this.subscribers) subscriber.told(told);
    } catch (error) {
      for (const subscriber of [...this.subscribers]) subscriber.failed(error);
    }
  }

  /** What those see of a change; null for nothing. Throws `QueryTooSlow`. */
  seen({ change, id, before, after }: ParsedChange): Told | null {
    const was = before !== null && this.#matches(before);
    const is = after !== null && this.#matches(after);
    if (!was && !is) return null;
    const action = was ? is ? "changed" : "removed" : "added";
    const document = is ? this.#shown(change.after!, after) : null;
    return new ToldChange(
      { position: change.position, id, action, recordId: change.recordId },
      document,
    );
  }

  #shown(json: string, document: StoredRecord): string {
    const { request } = this.#plan.list;
    return isPlain(request) ? json : jsonText(partShown(document, request));
  }
}

interface What {
  readonly position: ChangePosition;
  readonly id: string;
  readonly action: "added" | "changed" | "removed";
  readonly recordId: Id;
}

const ADDED = { added: 1, changed: 0, removed: -1 } as const;

class ToldChange implements Told {
  readonly #what: What;
  readonly #document: string | null;
  /** Most who are told have the same total. */
  #last: { readonly total: number | null; readonly event: Uint8Array<ArrayBuffer> } | null = null;

  constructor(what: What, document: string | null) {
    this.#what = what;
    this.#document = document;
  }

  get position(): ChangePosition {
    return this.#what.position;
  }

  get added(): -1 | 0 | 1 {
    return ADDED[this.#what.action];
  }

  get bytes(): number {
    return 2 * (this.#document?.length ?? 0);
  }

  event(total: number | null): Uint8Array<ArrayBuffer> {
    if (this.#last?.total !== total) this.#last = { total, event: this.#encoded(total) };
    return this.#last!.event;
  }

  #encoded(total: number | null): Uint8Array<ArrayBuffer> {
    const { id, action, recordId } = this.#what;
    const document = this.#document === null ? "" : `,"document":${this.#document}`;
    const count = total === null ? "" : `,"total":${total}`;
    return encoded(
      `id: ${id}\nevent: change\ndata: {"action":"${action}","id":"${recordId}"${document}${count}}\n\n`,
    );
  }
}
