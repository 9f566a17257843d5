/** Processor time per request, of Corbel over a bare program that is asked the same. */
import { type LoadOptions, type Sent, type Target, underLoad } from "./load.ts";
import { median } from "./measuring.ts";
import { cpuSeconds, type Program } from "./process.ts";
import type { Known, Question, Values } from "./questions.ts";
import { Random } from "./random.ts";

/** One that is asked. */
export interface Side {
  readonly program: Program;
  headersFor(question: Question): Readonly<Record<string, string>>;
  request(question: Question, values: Values): Sent;
}

export interface Turns {
  readonly turns: number;
  readonly seconds: number;
  /** How many are made before the first comes again. */
  readonly requests: number;
  readonly warmUp: boolean;
}

/** More requests than any cache of questions holds. */
export const WHOLE: Turns = { turns: 3, seconds: 3, requests: 20_000, warmUp: true };
export const SHORT: Turns = { turns: 1, seconds: 1, requests: 1_000, warmUp: false };

const CHECKED = 20;
const SEED = 7;

/** So many requests of a question, with the values of `random`. */
export const valuesOf = (question: Question, known: Known, random: Random, count: number) =>
  Array.from({ length: count }, () => question.values(random, known));

export const targetOf = (
  { program, headersFor, request }: Side,
  question: Question,
  values: readonly Values[],
): Target => ({
  url: program.url,
  ...(question.method && { method: question.method }),
  headers: headersFor(question),
  requests: values.map((one) => request(question, one)),
});

/** The median of a turn each, in alternation. Throws where the two do not answer the same. */
export async function costRatio(
  question: Question,
  known: Known,
  sides: readonly [Side, Side],
  { turns, seconds, requests, warmUp }: Turns,
): Promise<number> {
  const random = new Random(SEED);
  if (question.method === undefined) {
    for (const values of valuesOf(question, known, random, CHECKED)) {
      await assertAlike(question, values, sides);
    }
  }
  const options = {
    seconds,
    ...(question.connections && { connections: question.connections }),
  };
  const cost = (side: Side) =>
    costOf(
      side.program,
      targetOf(side, question, valuesOf(question, known, random, requests)),
      options,
    );
  if (warmUp) { for (const side of sides) await cost(side); }
  const ratios: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const [own, bare] = [await cost(sides[0]), await cost(sides[1])];
    console.error(`  ${own.toFixed(1)} µs over ${bare.toFixed(1)}`);
    ratios.push(own / bare);
  }
  return Math.round(median(ratios) * 100) / 100;
}

/** Microseconds of all processors together per request. */
export async function costOf(
  { pid }: Program,
  target: Target,
  options: LoadOptions,
): Promise<number> {
  const before = await cpuSeconds(pid);
  const { answered } = await underLoad(target, options);
  return (await cpuSeconds(pid) - before) * 1e6 / answered;
}

async function assertAlike(
  question: Question,
  values: Values,
  sides: readonly [Side, Side],
): Promise<void> {
  const [own, other] = await Promise.all(sides.map(async ({ program, headersFor, request }) => {
    const { path, bearer } = request(question, values);
    const response = await fetch(program.url + path, {
      headers: { ...headersFor(question), ...(bearer && { authorization: `Bearer ${bearer}` }) },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${program.url}${path} answered ${response.status}: ${text}`);
    const { items, total, ...one } = JSON.parse(text).data;
    return JSON.stringify(items === undefined ? one : { items, total });
  }));
  if (own === other) return;
  const at = [...own!].findIndex((character, i) => character !== other![i]);
  const [one, two] = [own!, other!].map((text) => text.slice(Math.max(0, at - 100), at + 100));
  throw new Error(`${question.name} ${JSON.stringify(values)} answers "${one}" and "${two}"`);
}
