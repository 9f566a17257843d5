import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { QUESTION_DAYS, QUESTION_SHAPES_MAX } from "../limits.ts";
import { and, eq } from "../store/filter.ts";
import type { Definition, Engine, Records } from "../store/port.ts";
import type { QuestionShape, QuestionTotal } from "./question_shape.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

export interface QuestionFigures {
  /** Number of requests. */
  readonly asked: number;
  /** Number of requests that were too slow or rejected for that. */
  readonly refused: number;
  /** Milliseconds of all requests together. */
  readonly ms: number;
  /** Number of documents in the answers. Counts do not add to it. */
  readonly answered: number;
  /** Approximate number of documents that were read; null if the engine does not report it. */
  readonly examined: number | null;
}

/**
 * Figures of a question on one day, summed over all processes. Stored in the control space, because
 * each project would need another table with its indexes.
 */
export const QUESTIONS = recordKind({
  name: "slowQuestions",
  fields: {
    projectId: field.ref,
    /** Digest of project, day, place, indexes, filter, sort and total. */
    question: field.text,
    /** Date, such as `2026-01-31`. */
    day: field.text,
    expiresAt: field.date,
    /** Name of the table, which distinguishes the collection from a deleted one. */
    place: field.undeclared<string>(),
    /** Digest of the collection's indexes at the time of the requests. */
    indexes: field.undeclared<string>(),
    filter: field.undeclared<string>(),
    sort: field.undeclared<string>(),
    total: field.undeclared<QuestionTotal>(),
    asked: field.undeclared<number>(),
    refused: field.undeclared<number>(),
    ms: field.undeclared<number>(),
    answered: field.undeclared<number>(),
    examined: field.undeclared<number | null>(),
    /** Number of requests by duration: `{ b12: 3 }`, where 12 is a {@linkcode bucketOf}. */
    times: field.undeclared<{ [bucket: string]: number }>(),
  },
  indexes: [
    { keys: [{ path: "question", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }, { path: "day", descending: false }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

export type QuestionRecord = RecordOf<typeof QUESTIONS>;

const DAY_MS = 86_400_000;

/** Returns a date such as `2026-01-31`. */
export const dayAt = (clock: Clock, ago = 0): string =>
  new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** Number of buckets per doubling of the duration. */
const STEPS_PER_DOUBLE = 2;
/** Number of buckets, which reach from 1 ms to beyond every time limit. */
export const BUCKETS = 32;

export const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(STEPS_PER_DOUBLE * Math.log2(ms))));

/** Returns the longest duration in a bucket. */
const bucketMs = (bucket: number): number => 2 ** (bucket / STEPS_PER_DOUBLE);

/** Returns the 95th percentile in milliseconds, rounded up to its bucket's end. */
export function p95Of(times: QuestionRecord["times"]): number {
  const counts = Array.from({ length: BUCKETS }, (_, bucket) => times[`b${bucket}`] ?? 0);
  let remaining = 0.95 * counts.reduce((sum, count) => sum + count, 0);
  return Math.ceil(bucketMs(counts.findIndex((count) => (remaining -= count) <= 0)));
}

/** Identifies the indexes, because figures start from zero after a change of them. */
export const indexesDigest = ({ indexes }: Definition): string => sha256(JSON.stringify(indexes));

/** Figures of a question that have not been stored yet. */
export interface QuestionTally {
  readonly shape: QuestionShape;
  readonly figures: QuestionFigures;
  /** Number of requests by {@linkcode bucketOf} their duration. */
  readonly times: Uint32Array;
}

/** Adds to the stored figures of a project and a day. */
export async function storeQuestions(
  { engine, clock, newId }: { engine: Engine; clock: Clock; newId: NewId },
  { projectId, day }: Pick<QuestionRecord, "projectId" | "day">,
  counted: readonly QuestionTally[],
): Promise<void> {
  const records = engine.records<QuestionRecord>("control", QUESTIONS);
  const expiresAt = new Date(clock.now() + (QUESTION_DAYS + 1) * DAY_MS).toISOString();
  for (const { shape: { collection, filter, sort, total }, figures, times } of counted) {
    const identity = {
      projectId,
      day,
      place: collection.records.name,
      indexes: indexesDigest(collection.records),
      filter,
      sort,
      total,
    };
    const question = sha256(JSON.stringify(Object.values(identity)));
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
      ...identity,
      ...figures,
      times: Object.fromEntries(counts),
      expiresAt,
    });
  }
  await dropCheapest(records, { projectId, day });
}

/** Limits the records of a day to those that took the most time. */
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
