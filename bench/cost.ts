/** Ratio of the processor time per request of two programs for the same question. */
import { Random } from "./documents.ts";
import { type RequestParts, type Target, underLoad } from "./load.ts";
import { askData, medianRatio } from "./measuring.ts";
import { cpuSeconds, type Program } from "./process.ts";
import type { KnownValues, Question, Values } from "./questions.ts";

export interface MeasuredSide {
  readonly program: Program;
  readonly known: KnownValues;
  headersFor(question: Question): Readonly<Record<string, string>>;
  request(question: Question, values: Values): RequestParts;
}

/** Number of requests, more than any cache of questions holds. */
const REQUESTS = 20_000;
const TURNS = 3;
const CHECKED_COUNT = 20;
const SEED = 7;

const valuesOf = (
  question: Question,
  { known }: MeasuredSide,
  turn: number,
  count: number,
): Values[] => {
  const random = new Random(SEED + turn);
  return Array.from({ length: count }, () => question.values(random, known));
};

/** Returns the requests of a question, which differ in each turn. */
export const targetOf = (side: MeasuredSide, question: Question, turn: number): Target => ({
  url: side.program.url,
  ...(question.method && { method: question.method }),
  headers: side.headersFor(question),
  connections: question.connections,
  requests: valuesOf(question, side, turn, REQUESTS).map((one) => side.request(question, one)),
});

/** Resolves to the median ratio of turns in alternation. */
export function costRatio(
  question: Question,
  [one, other]: readonly [MeasuredSide, MeasuredSide],
): Promise<number> {
  const cost = (side: MeasuredSide) => {
    let turn = 0;
    return () => costOf(side.program, targetOf(side, question, turn++));
  };
  return medianRatio(TURNS, cost(one), cost(other));
}

/** Resolves to the processor time per request in microseconds. */
async function costOf({ pid }: Program, target: Target): Promise<number> {
  const before = await cpuSeconds(pid);
  const { answered } = await underLoad(target);
  return (await cpuSeconds(pid) - before) * 1e6 / answered;
}

/** Throws if the answers of the two programs differ, except for the cursors of a page. */
export async function assertAlike(
  question: Question,
  sides: readonly [MeasuredSide, MeasuredSide],
): Promise<void> {
  for (const values of valuesOf(question, sides[0], 0, CHECKED_COUNT)) {
    const [own, other] = await Promise.all(sides.map(async (side) => {
      const { path, bearer } = side.request(question, values);
      const authorization = bearer && { authorization: `Bearer ${bearer}` };
      const headers = { ...side.headersFor(question), ...authorization };
      const { items, total, ...one } = await askData({ url: side.program.url + path, headers });
      return JSON.stringify(items === undefined ? one : { items, total });
    }));
    if (own === other) continue;
    const at = [...own!].findIndex((character, i) => character !== other![i]);
    const [here, there] = [own!, other!].map((text) => text.slice(Math.max(0, at - 100), at + 100));
    throw new Error(`${question.name} ${JSON.stringify(values)}: "${here}" and "${there}"`);
  }
}
