import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { QUESTION_SHAPES_MAX, SLOW_QUESTION_MEAN_MS, SLOW_QUESTION_MS } from "../limits.ts";
import { createDelayedTask } from "../delayed_task.ts";
import type { Log } from "../runtime/log.ts";
import { QueryTooSlow } from "../store/errors.ts";
import type { Engine, Id, Page, Records } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";
import {
  bucketOf,
  BUCKETS,
  dayAt,
  type QuestionFigures,
  type QuestionTally,
  storeQuestions,
} from "./question_records.ts";
import type { QuestionShape } from "./question_shape.ts";

type RecordReads = Pick<Records<StoredDocument>, "list" | "count" | "referrers">;

/**
 * Records the cost of lists and of lookups of referring documents in memory, by question. Slow
 * questions are stored later, without delaying requests. Cached answers are not counted.
 */
export interface SlowQuestions extends AsyncDisposable {
  /** Runs `read` and records its cost if it succeeds or is too slow. */
  watch<T>(
    asked: { readonly projectId: Id; readonly shape: QuestionShape; readonly records: RecordReads },
    read: (records: RecordReads) => Promise<T>,
  ): Promise<T>;
  /** Stores the slow questions. Runs automatically within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

const STORE_AFTER_MS = 60_000;
/** Figures of the least recently used projects are dropped. */
const CACHED_PROJECTS_MAX = 500;
const SHAPE_LENGTH_MAX = 2_000;

/** Figures since the last storing. */
interface Tally {
  readonly shape: QuestionShape;
  figures: { -readonly [name in keyof QuestionFigures]: QuestionFigures[name] };
  times: Uint32Array;
  longestMs: number;
  /** Whether the question was slow on this day. From then on, all requests are stored. */
  isSlow: boolean;
}

/** Tallies of one project by the key of the question. */
type Tallies = Map<string, Tally>;

const zeroFigures = () => ({ asked: 0, refused: 0, ms: 0, answered: 0, examined: null });

const newTally = (shape: QuestionShape): Tally => ({
  shape,
  figures: zeroFigures(),
  times: new Uint32Array(BUCKETS),
  longestMs: 0,
  isSlow: false,
});

export function createSlowQuestions(
  services: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): SlowQuestions {
  const { clock, log } = services;
  const talliesByProject = new LRUCache<Id, Tallies>({ max: CACHED_PROJECTS_MAX });
  const storing = createDelayedTask(storeAll, STORE_AFTER_MS);
  let today = dayAt(clock);

  function tallyOf(projectId: Id, shape: QuestionShape): Tally {
    let tallies = talliesByProject.get(projectId);
    if (tallies === undefined) talliesByProject.set(projectId, tallies = new Map());
    let tally = tallies.get(shape.key);
    if (tally === undefined) {
      if (tallies.size >= QUESTION_SHAPES_MAX) tallies.delete(cheapestOf(tallies));
      tallies.set(shape.key, tally = newTally(shape));
    }
    return tally;
  }

  async function storeAll(): Promise<void> {
    const day = dayAt(clock);
    for (const [projectId, tallies] of [...talliesByProject]) {
      const slow = [...tallies.values()].filter(isWorthStoring);
      if (slow.length === 0) continue;
      try {
        await storeQuestions(services, { projectId, day }, slow.map(takeTally));
      } catch (error) {
        const project = projectId;
        log.write("warn", "Slow questions are not stored", { project, error: String(error) });
      }
    }
    // Figures of the previous day that were not slow are dropped.
    if (day !== today) talliesByProject.clear();
    today = day;
  }

  return {
    async watch({ projectId, shape, records }, read) {
      const watched = new WatchedReads(clock, records);
      try {
        return await read(watched);
      } catch (error) {
        watched.recordFailure(error);
        throw error;
      } finally {
        if (watched.isCounted && shape.key.length <= SHAPE_LENGTH_MAX) {
          addToTally(tallyOf(projectId, shape), watched);
          storing.schedule();
        }
      }
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

class WatchedReads implements RecordReads {
  ms = 0;
  answered = 0;
  examined: number | null = null;
  isRefused = false;
  /** False if the request fails for another reason than its cost. */
  isCounted = true;
  readonly #clock: Clock;
  readonly #records: RecordReads;

  constructor(clock: Clock, records: RecordReads) {
    this.#clock = clock;
    this.#records = records;
  }

  async list(query: Parameters<RecordReads["list"]>[0]): Promise<Page<StoredDocument>> {
    const page = await this.#timed(() => this.#records.list(query));
    this.answered += page.size;
    if (page.examined !== null) this.examined = (this.examined ?? 0) + page.examined;
    return page;
  }

  count(filter: Parameters<RecordReads["count"]>[0]): Promise<number> {
    return this.#timed(() => this.#records.count(filter));
  }

  async referrers(
    query: Parameters<RecordReads["referrers"]>[0],
  ): ReturnType<RecordReads["referrers"]> {
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

  recordFailure(error: unknown): void {
    // A slow read of another collection is recorded as a separate question.
    this.isRefused = this.isCounted = error instanceof QueryTooSlow && error.collection === null;
  }
}

function addToTally(tally: Tally, { ms, answered, examined, isRefused }: WatchedReads): void {
  const { figures, times } = tally;
  figures.asked++;
  if (isRefused) figures.refused++;
  figures.ms += ms;
  figures.answered += answered;
  if (examined !== null) figures.examined = (figures.examined ?? 0) + examined;
  times[bucketOf(ms)]!++;
  if (ms > tally.longestMs) tally.longestMs = ms;
}

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

/** Resets the figures, so that they are stored only once. */
function takeTally(tally: Tally): QuestionTally {
  const { shape, figures, times } = tally;
  tally.figures = zeroFigures();
  tally.times = new Uint32Array(BUCKETS);
  tally.longestMs = 0;
  return { shape, figures, times };
}
