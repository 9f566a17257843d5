import type { Clock } from "../clock.ts";
import { QUESTION_DAYS } from "../limits.ts";
import { adviseIndex, keyText } from "../store/advice.ts";
import { and, compare, eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Engine, Filter, Id, Json } from "../store/port.ts";
import type { Collection } from "./collection.ts";
import { sortKey } from "./definition_indexes.ts";
import { whereOf } from "./explain_list.ts";
import type { QuestionTotal } from "./question_shape.ts";
import { compileCollections } from "./save_collection.ts";
import {
  dayAt,
  indexesDigest,
  p95Of,
  type QuestionFigures,
  type QuestionRecord,
  QUESTIONS,
} from "./question_records.ts";

/** A query without its values, its figures, and the index that would help. */
export interface SlowQuestion {
  readonly collection: string;
  /** Conditions in the syntax of `where`, with `?` for values and `*` for undeclared names. */
  readonly filter: Json;
  readonly sort: string;
  readonly total: QuestionTotal;
  readonly asked: number;
  /** Number of requests that were too slow. */
  readonly refused: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  /** Number of documents in all answers. */
  readonly answered: number;
  /** Number of documents read; null if the engine does not report it. */
  readonly examined: number | null;
  /** Fields of the index that would help, in the syntax of a definition's `indexes`. */
  readonly advice: readonly string[] | null;
}

/** Returns the most expensive first. Leaves out figures from before a change of the indexes. */
export async function listSlowQuestions(
  services: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<SlowQuestion[]> {
  const { engine, clock } = services;
  const collections = new Map(
    (await compileCollections(services, projectId)).map((one) => [one.records.name, one]),
  );
  const since = compare("day", "gt", dayAt(clock, QUESTION_DAYS));
  const found = engine.records<QuestionRecord>("control", QUESTIONS)
    .find({ filter: and(eq("projectId", projectId), since) });
  const sums = new Map<string, QuestionSum>();
  for await (const day of found) {
    const collection = collections.get(day.place);
    if (collection === undefined || indexesDigest(collection.records) !== day.indexes) continue;
    const { place, filter, sort, total } = day;
    const key = JSON.stringify([place, filter, sort, total]);
    const sum = sums.get(key)?.question;
    const question = sum === undefined ? day : { ...sum, ...addFigures(sum, day) };
    sums.set(key, { collection, question });
  }
  return [...sums.values()].sort((a, b) => b.question.ms - a.question.ms).map(toSlowQuestion);
}

interface QuestionSum {
  readonly collection: Collection;
  readonly question: QuestionRecord;
}

function addFigures(
  a: QuestionRecord,
  b: QuestionRecord,
): QuestionFigures & Pick<QuestionRecord, "times"> {
  const times = { ...a.times };
  for (const [bucket, count] of Object.entries(b.times)) {
    times[bucket] = (times[bucket] ?? 0) + count;
  }
  return {
    asked: a.asked + b.asked,
    refused: a.refused + b.refused,
    ms: a.ms + b.ms,
    answered: a.answered + b.answered,
    examined: a.examined === null && b.examined === null
      ? null
      : (a.examined ?? 0) + (b.examined ?? 0),
    times,
  };
}

function toSlowQuestion({ collection, question }: QuestionSum): SlowQuestion {
  const { total, asked, refused, ms, answered, examined } = question;
  const filter = parseJson(question.filter) as unknown as Filter; // Written by `questionShape`.
  const sort = question.sort === "" ? [] : question.sort.split(",").map(sortKey);
  // A count does not need an index for its order.
  const keys = adviseIndex(collection.records, { filter, sort: total === "only" ? [] : sort });
  return {
    collection: collection.definition.name,
    filter: whereOf(filter),
    sort: question.sort,
    total,
    asked,
    refused,
    meanMs: Math.round(10 * ms / asked) / 10,
    p95Ms: p95Of(question.times),
    answered,
    examined,
    advice: keys === null ? null : keys.map(keyText),
  };
}
