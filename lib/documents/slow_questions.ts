import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import {
  QUESTION_DAYS,
  QUESTION_SHAPES_MAX,
  SLOW_QUESTION_MEAN_MS,
  SLOW_QUESTION_MS,
} from "../limits.ts";
import type { Log } from "../runtime/log.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { and, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Page, Records, StoredRecord } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";
import type { QuestionShape, QuestionTotal } from "./question_shape.ts";

/** What is known of a question of one shape. */
export interface QuestionFigures {
  readonly asked: number;
  /** Of these, those that were given up as too slow, or turned away. */
  readonly refused: number;
  /** That all of them took together. */
  readonly ms: number;
  /** Documents that were answered, a count none. */
  readonly answered: number;
  /** About how many were looked at for them; null where the engine does not say. */
  readonly examined: number | null;
}

/** A question's figures of one day, as all processes have added them up. */
export type QuestionRecord = StoredRecord & {
  projectId: Id;
  /** A digest of everything down to the total: what is counted together. */
  question: string;
  /** `2026-01-31`. */
  day: string;
  /** Where the collection's documents are kept, by which a deleted one is told from a new one. */
  place: string;
  /** A digest of the indexes that it was asked under: with others it is another question. */
  indexes: string;
  filter: string;
  sort: string;
  total: QuestionTotal;
  asked: number;
  refused: number;
  ms: number;
  answered: number;
  examined: number | null;
  /** How many took at most so long: `{ b12: 3 }` by {@linkcode bucketOf}. */
  times: { [bucket: string]: number };
  expiresAt: string;
};

/**
 * In the control space: a commit in a project's own would outdate the answers that are kept of its
 * lists, and on MongoDB every project would have a collection and its indexes more.
 */
export const QUESTIONS: Definition = {
  name: "slowQuestions",
  fields: {
    projectId: { type: "Ref" },
    question: { type: "String" },
    day: { type: "String" },
    expiresAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "question", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }, { path: "day", descending: false }] },
  ],
  trash: false,
  expiry: "expiresAt",
};

type Reads = Pick<Records<StoredDocument>, "list" | "count">;

/**
 * Counts what lists cost, by the shapes of their questions, in memory. What turns out to be slow is
 * stored for the project, soon after and on nobody's way. What is given from memory is not counted:
 * nothing was asked of the store.
 */
export interface SlowQuestions extends AsyncDisposable {
  /** Has a list read what it shows, and counts it if it is answered or was too slow. */
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
const DAY_MS = 86_400_000;

/** Times are kept in steps of half a power of two, from 1 ms to beyond every time limit. */
const STEPS_PER_DOUBLE = 2;
const BUCKETS = 32;

const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(STEPS_PER_DOUBLE * Math.log2(ms))));

/** The longest time of a bucket. */
const timeOf = (bucket: number): number => 2 ** (bucket / STEPS_PER_DOUBLE);

/** What 95 of 100 took at most, up to the next step: it is never more than told. */
export function p95Of(times: QuestionRecord["times"]): number {
  const counts = Array.from({ length: BUCKETS }, (_, bucket) => times[`b${bucket}`] ?? 0);
  let left = 0.95 * counts.reduce((sum, count) => sum + count, 0);
  return Math.ceil(timeOf(counts.findIndex((count) => (left -= count) <= 0)));
}

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

/** `2026-01-31`, so many days ago. */
export const dayAt = (clock: Clock, ago = 0): string =>
  new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10);

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  let storing: Promise<void> = Promise.resolve();
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
    clearTimeout(timer);
    timer = undefined;
    const day = dayAt(clock);
    for (const [projectId, tallies] of [...counted]) {
      const slow = [...tallies.values()].filter(isWorthStoring);
      if (slow.length === 0) continue;
      try {
        await storeSlow(services, { projectId, day }, slow.map(taken));
      } catch (error) {
        const project = projectId;
        log.write("warn", "Slow questions are not stored", { project, error: String(error) });
      }
    }
    // What was quick on the day before says nothing of this one.
    if (day !== today) counted.clear();
    today = day;
  }

  const store = () => storing = storing.then(storeAll);

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
          timer ??= setTimeout(store, STORE_AFTER_MS);
        }
      }
    },
    store,
    async [Symbol.asyncDispose]() {
      await store();
      clearTimeout(timer);
    },
  };
}

/** The reads of one list, and what they cost together. */
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
    const began = this.#clock.elapsed();
    try {
      const page = await this.#records.list(query);
      this.answered += page.size;
      if (page.examined !== null) this.examined = (this.examined ?? 0) + page.examined;
      return page;
    } finally {
      this.ms += this.#clock.elapsed() - began;
    }
  }

  async count(filter: Parameters<Reads["count"]>[0]): Promise<number> {
    const began = this.#clock.elapsed();
    try {
      return await this.#records.count(filter);
    } finally {
      this.ms += this.#clock.elapsed() - began;
    }
  }

  failed(error: unknown): void {
    this.isRefused = this.isCounted = error instanceof QueryTooSlow;
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

type Taken = Pick<Tally, "shape" | "figures" | "times">;

/** What is stored is not counted again. */
function taken(tally: Tally): Taken {
  const { shape, figures, times } = tally;
  tally.figures = nothing();
  tally.times = new Uint32Array(BUCKETS);
  tally.longestMs = 0;
  return { shape, figures, times };
}

/** Questions under other indexes are others: what an index has changed is seen from it on. */
export const indexesTag = ({ indexes }: Definition): string => sha256(JSON.stringify(indexes));

async function storeSlow(
  { engine, clock, newId }: { engine: Engine; clock: Clock; newId: NewId },
  { projectId, day }: Pick<QuestionRecord, "projectId" | "day">,
  slow: readonly Taken[],
): Promise<void> {
  const records = engine.records<QuestionRecord>("control", QUESTIONS);
  const expiresAt = new Date(clock.now() + (QUESTION_DAYS + 1) * DAY_MS).toISOString();
  for (const { shape: { collection, filter, sort, total }, figures, times } of slow) {
    const asked = {
      projectId,
      day,
      place: collection.records.name,
      indexes: indexesTag(collection.records),
      filter,
      sort,
      total,
    };
    const question = sha256(JSON.stringify(Object.values(asked)));
    const counts: [string, number][] = [...times]
      .flatMap((count, bucket) => count > 0 ? [[`b${bucket}`, count]] : []);
    const { examined, ...others } = figures;
    const increment = Object.fromEntries([
      ...Object.entries(others),
      ...(examined === null ? [] : [["examined", examined]]),
      ...counts.map(([bucket, count]) => [`times.${bucket}`, count]),
    ]) as Record<string, number>;
    await records.upsert(eq("question", question), { increment, set: { expiresAt } }, {
      _id: newId(),
      question,
      ...asked,
      ...figures,
      times: Object.fromEntries(counts),
      expiresAt,
    });
  }
  await dropCheapest(records, { projectId, day });
}

/** Keeps those of a day that took the most time, so that their number has a bound. */
async function dropCheapest(
  records: Records<QuestionRecord>,
  { projectId, day }: Pick<QuestionRecord, "projectId" | "day">,
): Promise<void> {
  const all = await Array.fromAsync(
    records.find({ filter: and(eq("projectId", projectId), eq("day", day)) }),
  );
  const dropped = all.toSorted((a, b) => b.ms - a.ms).slice(QUESTION_SHAPES_MAX);
  for (const { _id } of dropped) await records.deleteOne(eq("_id", _id));
}
