import type { LimitFunction } from "p-limit";
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
import { type ListStep, ListTotal } from "./list_total.ts";
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

/** Between counts of a total that is not known, the longer the oftener it failed. */
const COUNT_MS_MIN = 1_000;
const COUNT_MS_MAX = 8_000;
/** After a count that failed. */
const FAILED_MS = 60_000;
/** After so long without a change a total is counted once more, where it may be off. */
const QUIET_MS = 2_000;

/** What a total is read with. */
interface Totalled {
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
}

/** All who listen to the same list with the same rights, and are told the same. */
export class Channel {
  readonly subscribers = new Set<Subscriber>();
  readonly #engine: Engine;
  readonly #plan: LivePlan;
  readonly #matches: Matcher;
  readonly #total = new ListTotal();
  /** Whether anybody has asked for the total. */
  #isCounted = false;
  /** Whether it was counted where nothing can have been missed. */
  #isSure = false;
  /** The last change, where the total was not sure then. */
  #last: Told | null = null;
  #readings = 0;
  #countAt = 0;
  #countMs = 0;
  /** How many changes were told, how many when it was last looked, and since when they are so many. */
  #told = 0;
  #seen = 0;
  #quietSince = 0;

  constructor(engine: Engine, plan: LivePlan) {
    this.#engine = engine;
    this.#plan = plan;
    this.#matches = compileMatcher(plan.collection.records, plan.list.filter, LIMITS);
  }

  /** How many the list has; null where that is not known at the moment. */
  get total(): number | null {
    return this.#total.value;
  }

  /**
   * Reads something with a total, perhaps. Resolves to a position as well: of what was committed
   * before it, all is in what was read.
   */
  async read<T extends Totalled>(
    read: () => Promise<T>,
  ): Promise<{ readonly position: ChangePosition; readonly found: T }> {
    const { changes } = this.#engine;
    const { projectId } = this.#plan.caller;
    this.#isCounted ||= this.#plan.list.request.total !== "none";
    const count = this.#total.begin();
    this.#readings++;
    try {
      const from = await changes.head(projectId);
      const found = await read();
      const { total, totalIsEstimate } = found;
      if (total !== null) {
        // Of what may be off anyway no change makes more doubt.
        const to = totalIsEstimate ? from : await changes.head(projectId);
        if (this.#total.take(count, { from, to, total })) {
          // MongoDB counts beside what is committed meanwhile, and tells of it later.
          this.#isSure = totalIsEstimate || this.#engine.version !== undefined;
          this.#countMs = this.#countAt = 0;
          this.#tellAgain();
        }
      }
      return { position: from, found };
    } finally {
      this.#readings--;
    }
  }

  async count(): Promise<void> {
    await this.read(async () => ({ total: await this.#counted(), totalIsEstimate: false }));
  }

  #counted(): Promise<number> {
    const { source, filter } = this.#plan.list;
    return source.records.count(filter);
  }

  /** Counts anew where the total is not known, or not sure, now and then. */
  async look(now: number, turn: LimitFunction): Promise<void> {
    if (this.#seen !== this.#told) {
      this.#seen = this.#told;
      this.#quietSince = now;
    }
    if (!this.#isCounted || this.#readings > 0 || now < this.#countAt) return;
    const isKnown = this.total !== null;
    if (isKnown && (this.#isSure || now - this.#quietSince < QUIET_MS)) return;
    if (!isKnown) {
      this.#countMs = Math.min(Math.max(2 * this.#countMs, COUNT_MS_MIN), COUNT_MS_MAX);
      this.#countAt = now + this.#countMs;
    }
    try {
      await turn(() => isKnown ? this.#makeSure() : this.count());
    } catch {
      this.#countAt = now + FAILED_MS;
    }
  }

  async #makeSure(): Promise<void> {
    const before = this.#told;
    this.#readings++;
    try {
      const total = await this.#counted();
      if (this.#told !== before) return;
      this.#isSure = true;
      if (this.#total.correct(total)) this.#tellAgain();
      this.#last = null;
    } finally {
      this.#readings--;
    }
  }

  tell(change: ParsedChange): void {
    try {
      const told = this.seen(change);
      if (told === null) return;
      this.#told++;
      if (this.#isCounted) {
        this.#total.follow(told);
        this.#last = this.#isSure && this.total !== null ? null : told;
      }
      for (const subscriber of this.subscribers) subscriber.told(told);
    } catch (error) {
      for (const subscriber of [...this.subscribers]) subscriber.failed(error);
    }
  }

  /** What was told last comes again with its total. */
  #tellAgain(): void {
    const told = this.#last;
    if (this.#isSure) this.#last = null;
    if (told === null) return;
    for (const subscriber of this.subscribers) subscriber.toldAgain(told);
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
