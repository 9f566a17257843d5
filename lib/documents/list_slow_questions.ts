import type { Clock } from "../clock.ts";
import { QUESTION_DAYS } from "../limits.ts";
import { advise, keyText } from "../store/advice.ts";
import { and, compare, eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Engine, Filter, Id, Json } from "../store/port.ts";
import type { Collection } from "./collection.ts";
import { keyOf } from "./definition_indexes.ts";
import { whereOf } from "./explain_list.ts";
import type { QuestionTotal } from "./question_shape.ts";
import { storedCollections } from "./save_collection.ts";
import {
  dayAt,
  indexesTag,
  p95Of,
  type QuestionFigures,
  type QuestionRecord,
  QUESTIONS,
} from "./question_records.ts";

/** A question that takes time, and what would make it quick. */
export interface SlowQuestion {
  readonly collection: string;
  /** As `where` writes it, with `?` for each value and `*` for names that nobody has declared. */
  readonly filter: Json;
  readonly sort: string;
  readonly total: QuestionTotal;
  readonly asked: number;
  readonly refused: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly answered: number;
  readonly examined: number | null;
  /** Fields of the index that would help, as a definition's `indexes` write them. */
  readonly advice: readonly string[] | null;
}

/**
 * What was slow in a project in the last days, what took most in all first; of collections as they
 * are indexed now, because what was asked under other indexes says nothing of these.
 */
export async function listSlowQuestions(
  services: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<SlowQuestion[]> {
  const { engine, clock } = services;
  const collections = new Map(
    (await storedCollections(services, projectId)).map((one) => [one.records.name, one]),
  );
  const since = compare("day", "gt", dayAt(clock, QUESTION_DAYS));
  const found = engine.records<QuestionRecord>("control", QUESTIONS)
    .find({ filter: and(eq("projectId", projectId), since) });
  const sums = new Map<string, Sum>();
  for await (const day of found) {
    const collection = collections.get(day.place);
    if (collection === undefined || indexesTag(collection.records) !== day.indexes) continue;
    const { place, filter, sort, total } = day;
    const key = JSON.stringify([place, filter, sort, total]);
    const sum = sums.get(key)?.question;
    const question = sum === undefined ? day : { ...sum, ...added(sum, day) };
    sums.set(key, { collection, question });
  }
  return [...sums.values()].sort((a, b) => b.question.ms - a.question.ms).map(shown);
}

interface Sum {
  readonly collection: Collection;
  /** Of all days. */
  readonly question: QuestionRecord;
}

function added(
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

function shown({ collection, question }: Sum): SlowQuestion {
  const { total, asked, refused, ms, answered, examined } = question;
  const filter = parseJson(question.filter) as unknown as Filter; // As `questionShape` wrote it.
  const sort = question.sort === "" ? [] : question.sort.split(",").map(keyOf);
  // A count has no order to be served.
  const keys = advise(collection.records, { filter, sort: total === "only" ? [] : sort });
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
