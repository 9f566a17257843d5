/** Processor time per request of one that is asked, over another that is asked the same. */
import { Random } from "./documents.ts";
import { type Sent, type Target, underLoad } from "./load.ts";
import { askData, medianRatio } from "./measuring.ts";
import { cpuSeconds, type Program } from "./process.ts";
import type { Known, Question, Values } from "./questions.ts";

/** One that is asked. */
export interface Side {
  readonly program: Program;
  readonly known: Known;
  headersFor(question: Question): Readonly<Record<string, string>>;
  request(question: Question, values: Values): Sent;
}

/** More requests than any cache of questions holds. */
const REQUESTS = 20_000;
const TURNS = 3;
const CHECKED = 20;
const SEED = 7;

const valuesOf = (question: Question, { known }: Side, turn: number, count: number): Values[] => {
  const random = new Random(SEED + turn);
  return Array.from({ length: count }, () => question.values(random, known));
};

/** Requests of a question, others in each turn. */
export const targetOf = (side: Side, question: Question, turn: number): Target => ({
  url: side.program.url,
  ...(question.method && { method: question.method }),
  headers: side.headersFor(question),
  connections: question.connections,
  requests: valuesOf(question, side, turn, REQUESTS).map((one) => side.request(question, one)),
});

/** The median of a turn each, in alternation. */
export function costRatio(
  question: Question,
  [one, other]: readonly [Side, Side],
): Promise<number> {
  const cost = (side: Side) => {
    let turn = 0;
    return () => costOf(side.program, targetOf(side, question, turn++));
  };
  return medianRatio(TURNS, cost(one), cost(other));
}

/** Microseconds of all processors together per request. */
async function costOf({ pid }: Program, target: Target): Promise<number> {
  const before = await cpuSeconds(pid);
  const { answered } = await underLoad(target);
  return (await cpuSeconds(pid) - before) * 1e6 / answered;
}

/** Throws where the two do not answer the same, but for what each tells of a page's places. */
export async function assertAlike(
  question: Question,
  sides: readonly [Side, Side],
): Promise<void> {
  for (const values of valuesOf(question, sides[0], 0, CHECKED)) {
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
