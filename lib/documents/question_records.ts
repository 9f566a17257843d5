import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { QUESTION_DAYS, QUESTION_SHAPES_MAX } from "../limits.ts";
import { and, eq } from "../store/filter.ts";
import type { Definition, Engine, Records } from "../store/port.ts";
import type { QuestionShape, QuestionTotal } from "./question_shape.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

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

/**
 * A question's figures of one day, added up over all processes. They are in the control space,
 * because on MongoDB each project would need one more collection with its indexes.
 */
export const QUESTIONS = recordKind({
  name: "slowQuestions",
  fields: {
    projectId: field.ref,
    /** A digest of everything down to the total: what is counted together. */
    question: field.text,
    /** `2026-01-31`. */
    day: field.text,
    expiresAt: field.date,
    /** Where the collection's documents are kept, by which a deleted one is told from a new one. */
    place: field.undeclared<string>(),
    /** A digest of the indexes that it was asked under: with others it is another question. */
    indexes: field.undeclared<string>(),
    filter: field.undeclared<string>(),
    sort: field.undeclared<string>(),
    total: field.undeclared<QuestionTotal>(),
    asked: field.undeclared<number>(),
    refused: field.undeclared<number>(),
    ms: field.undeclared<number>(),
    answered: field.undeclared<number>(),
    examined: field.undeclared<number | null>(),
    /** How many took at most so long: `{ b12: 3 }` by {@linkcode bucketOf}. */
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

/** `2026-01-31`, so many days ago. */
export const dayAt = (clock: Clock, ago = 0): string =>
  new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** Times are kept in steps of half a power of two, from 1 ms to beyond every time limit. */
const STEPS_PER_DOUBLE = 2;
export const BUCKETS = 32;

export const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(STEPS_PER_DOUBLE * Math.log2(ms))));

/** The longest time of a bucket. */
const timeOf = (bucket: number): number => 2 ** (bucket / STEPS_PER_DOUBLE);

/** What 95 of 100 took at most, up to the next step: it is never more than told. */
export function p95Of(times: QuestionRecord["times"]): number {
  const counts = Array.from({ length: BUCKETS }, (_, bucket) => times[`b${bucket}`] ?? 0);
  let left = 0.95 * counts.reduce((sum, count) => sum + count, 0);
  return Math.ceil(timeOf(counts.findIndex((count) => (left -= count) <= 0)));
}

/** Questions under other indexes are others: what an index has changed is seen from it on. */
export const indexesTag = ({ indexes }: Definition): string => sha256(JSON.stringify(indexes));

/** What was counted of questions of one shape, and is stored no other time. */
export interface CountedQuestions {
  readonly shape: QuestionShape;
  readonly figures: QuestionFigures;
  /** By {@linkcode bucketOf}. */
  readonly times: Uint32Array;
}

/** Adds to what all processes have counted of a project and a day. */
export async function storeQuestions(
  { engine, clock, newId }: { engine: Engine; clock: Clock; newId: NewId },
  { projectId, day }: Pick<QuestionRecord, "projectId" | "day">,
  counted: readonly CountedQuestions[],
): Promise<void> {
  const records = engine.records<QuestionRecord>("control", QUESTIONS);
  const expiresAt = new Date(clock.now() + (QUESTION_DAYS + 1) * DAY_MS).toISOString();
  for (const { shape: { collection, filter, sort, total }, figures, times } of counted) {
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
