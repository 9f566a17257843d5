import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { QUESTION_SHAPES_MAX, SLOW_QUESTION_MEAN_MS, SLOW_QUESTION_MS } from "../limits.ts";
import { postponed } from "../postponed.ts";
import type { Log } from "../runtime/log.ts";
import { QueryTooSlow } from "../store/errors.ts";
import type { Engine, Id, Page, Records } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";
import {
  bucketOf,
  BUCKETS,
  type CountedQuestions,
  dayAt,
  type QuestionFigures,
  storeQuestions,
} from "./question_records.ts";
import type { QuestionShape } from "./question_shape.ts";

type Reads = Pick<Records<StoredDocument>, "list" | "count" | "referrers">;

/**
 * Counts what lists, and documents that refer back, cost, by the shapes of their questions, in
 * memory. What turns out to be slow is stored for the project, soon after and on nobody's way. What
 * is given from memory is not counted: nothing was asked of the store.
 */
export interface SlowQuestions extends AsyncDisposable {
  /** Has what is shown read, and counts it if it is answered or was too slow. */
  watch<T>(
    asked: { readonly projectId: Id; readonly shape: QuestionShape; readonly records: Reads },
    read: (records: Reads) => Promise<T>,
  ): Promise<T>;
  /** Stores what is slow so far; happens by itself within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

const STORE_AFTER_MS = 60_000;
/** Those asked last; questions of others are forgotten before they are stored. */
const PROJECTS_KEPT = 500;
/** Longer ones are not counted. */
const SHAPE_LENGTH_MAX = 2_000;

/** What was counted since it was stored last. */
interface Tally {
  readonly shape: QuestionShape;
  figures: { -readonly [name in keyof QuestionFigures]: QuestionFigures[name] };
  times: Uint32Array;
  /** Of one of them. */
  longestMs: number;
  /** Whether it was slow before on this day: then it is stored with all that follows. */
  isSlow: boolean;
}

/** Of one project, by the keys of their shapes. */
type Tallies = Map<string, Tally>;

const nothing = () => ({ asked: 0, refused: 0, ms: 0, answered: 0, examined: null });

const newTally = (shape: QuestionShape): Tally => ({
  shape,
  figures: nothing(),
  times: new Uint32Array(BUCKETS),
  longestMs: 0,
  isSlow: false,
});

export function createSlowQuestions(
  services: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): SlowQuestions {
  const { clock, log } = services;
  const counted = new LRUCache<Id, Tallies>({ max: PROJECTS_KEPT });
  const storing = postponed(storeAll, STORE_AFTER_MS);
  let today = dayAt(clock);

  function tallyOf(projectId: Id, shape: QuestionShape): Tally {
    let tallies = counted.get(projectId);
    if (tallies === undefined) counted.set(projectId, tallies = new Map());
    let tally = tallies.get(shape.key);
    if (tally === undefined) {
      if (tallies.size >= QUESTION_SHAPES_MAX) tallies.delete(cheapestOf(tallies));
      tallies.set(shape.key, tally = newTally(shape));
    }
    return tally;
  }

  async function storeAll(): Promise<void> {
    const day = dayAt(clock);
    for (const [projectId, tallies] of [...counted]) {
      const slow = [...tallies.values()].filter(isWorthStoring);
      if (slow.length === 0) continue;
      try {
        await storeQuestions(services, { projectId, day }, slow.map(taken));
      } catch (error) {
        const project = projectId;
        log.write("warn", "Slow questions are not stored", { project, error: String(error) });
      }
    }
    // What was quick on the day before says nothing of this one.
    if (day !== today) counted.clear();
    today = day;
  }

  return {
    async watch({ projectId, shape, records }, read) {
      const watched = new WatchedReads(clock, records);
      try {
        return await read(watched);
      } catch (error) {
        watched.failed(error);
        throw error;
      } finally {
        if (watched.isCounted && shape.key.length <= SHAPE_LENGTH_MAX) {
          add(tallyOf(projectId, shape), watched);
          storing.later();
        }
      }
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

/** The reads of one question, and what they cost together. */
class WatchedReads implements Reads {
  ms = 0;
  answered = 0;
  examined: number | null = null;
  isRefused = false;
  /** What ends in another way says nothing of the question. */
  isCounted = true;
  readonly #clock: Clock;
  readonly #records: Reads;

  constructor(clock: Clock, records: Reads) {
    this.#clock = clock;
    this.#records = records;
  }

  async list(query: Parameters<Reads["list"]>[0]): Promise<Page<StoredDocument>> {
    const page = await this.#timed(() => this.#records.list(query));
    this.answered += page.size;
    if (page.examined !== null) this.examined = (this.examined ?? 0) + page.examined;
    return page;
  }

  count(filter: Parameters<Reads["count"]>[0]): Promise<number> {
    return this.#timed(() => this.#records.count(filter));
  }

  async referrers(query: Parameters<Reads["referrers"]>[0]): ReturnType<Reads["referrers"]> {
    const found = await this.#timed(() => this.#records.referrers(query));
    for (const ids of found.values()) this.answered += ids.length;
    return found;
  }

  async #timed<T>(read: () => Promise<T>): Promise<T> {
    const began = this.#clock.elapsed();
    try {
      return await read();
    } finally {
      this.ms += this.#clock.elapsed() - began;
    }
  }

  failed(error: unknown): void {
    // What took too long in another collection is a question of its own.
    this.isRefused = this.isCounted = error instanceof QueryTooSlow && error.collection === null;
  }
}

function add(tally: Tally, { ms, answered, examined, isRefused }: WatchedReads): void {
  const { figures, times } = tally;
  figures.asked++;
  if (isRefused) figures.refused++;
  figures.ms += ms;
  figures.answered += answered;
  if (examined !== null) figures.examined = (figures.examined ?? 0) + examined;
  times[bucketOf(ms)]!++;
  if (ms > tally.longestMs) tally.longestMs = ms;
}

/** The one that has taken the least time. */
function cheapestOf(tallies: Tallies): string {
  let [cheapest, least] = ["", Infinity];
  for (const [key, { figures: { ms } }] of tallies) {
    if (ms < least) [cheapest, least] = [key, ms];
  }
  return cheapest;
}

function isWorthStoring(tally: Tally): boolean {
  const { figures: { asked, refused, ms }, longestMs } = tally;
  tally.isSlow ||= refused > 0 || longestMs >= SLOW_QUESTION_MS ||
    ms >= asked * SLOW_QUESTION_MEAN_MS;
  return asked > 0 && tally.isSlow;
}

/** What is stored is not counted again. */
function taken(tally: Tally): CountedQuestions {
  const { shape, figures, times } = tally;
  tally.figures = nothing();
  tally.times = new Uint32Array(BUCKETS);
  tally.longestMs = 0;
  return { shape, figures, times };
}
