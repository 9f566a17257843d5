import type { Setting } from "./seed.ts";
import { isShort, load, type Target } from "./load.ts";

/** Number of rounds. Many short ones spread a slowdown of the machine over both sides. */
const ROUNDS = 20;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 2;

type Request = RequestInit & Pick<Target, "url">;

/** Resolves to the text of an answer. Throws unless it is successful. */
export async function ask({ url, ...init }: Request): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** Resolves to `data` of Corbel's answer. Throws unless it is successful. */
// deno-lint-ignore no-explicit-any -- Answers of several shapes.
export const askData = async (request: Request): Promise<any> =>
  JSON.parse(await ask(request)).data;

/** Returns a POST request with a JSON body, if there is a body. */
export const jsonRequest = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
) => ({
  url,
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** Resolves to the ratio of requests per second of two targets, measured in alternation. */
export async function ratio(
  one: Target,
  other: Target,
  { rounds = ROUNDS, seconds = ROUND_SECONDS } = {},
): Promise<number> {
  const sides = [one, other] as const;
  const sums: [number, number] = [0, 0];
  for (const target of sides) await load(target, WARM_UP_SECONDS);
  for (let round = 0; round < (isShort ? 1 : rounds); round++) {
    for (const at of sideOrder(round)) sums[at] += await load(sides[at], seconds);
  }
  return roundToHundredths(sums[0] / sums[1]);
}

/** Returns the order of the sides, which alternates because the machine may slow down. */
const sideOrder = (round: number) => round % 2 === 0 ? [0, 1] as const : [1, 0] as const;

/** Number of unmeasured turns, because V8 compiles code in the first seconds of a process. */
const WARM_UP_TURNS = 2;

/** Resolves to the median ratio of two figures over turns, after unmeasured turns. */
export async function medianRatio(
  turns: number,
  ...figures: readonly [() => Promise<number>, () => Promise<number>]
): Promise<number> {
  const ratios: number[] = [];
  const [unmeasured, measured] = isShort ? [1, 1] : [WARM_UP_TURNS, turns];
  for (let turn = 0; turn < unmeasured + measured; turn++) {
    const found: [number, number] = [0, 0];
    for (const at of sideOrder(turn)) found[at] = await figures[at]();
    console.error(`  ${found.map((figure) => figure.toFixed(1)).join(" over ")}`);
    if (turn >= unmeasured) ratios.push(found[0] / found[1]);
  }
  return roundToHundredths(median(ratios));
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100;

/** Returns a function that computes a result once for each subject. */
export function memoizeBySubject<Subject, Found>(
  find: (setting: Setting, subject: Subject) => Promise<Found>,
): (setting: Setting, subject: Subject) => Promise<Found> {
  const found = new Map<Subject, Promise<Found>>();
  return (setting, subject) => {
    const known = found.get(subject) ?? find(setting, subject);
    found.set(subject, known);
    return known;
  };
}
