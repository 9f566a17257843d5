import type { Setting } from "./seed.ts";
import { isShort, load, type Target } from "./load.ts";

/** Many short rounds: what slows the machine for a while meets both sides alike. */
const ROUNDS = 20;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 2;

type Request = RequestInit & Pick<Target, "url">;

/** What is answered. Throws for anything but success. */
export async function ask({ url, ...init }: Request): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** What Corbel answers in `data`. Throws for anything but success. */
// deno-lint-ignore no-explicit-any -- Answers of several shapes.
export const askData = async (request: Request): Promise<any> =>
  JSON.parse(await ask(request)).data;

/** A request that posts JSON, if anything. */
export const posting = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
) => ({
  url,
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** Requests of one over those of the other in as much time, in turns, so that both see the same machine. */
export async function ratio(
  one: Target,
  other: Target,
  { rounds = ROUNDS, seconds = ROUND_SECONDS } = {},
): Promise<number> {
  const sides = [one, other] as const;
  const sums: [number, number] = [0, 0];
  for (const target of sides) await load(target, WARM_UP_SECONDS);
  for (let round = 0; round < (isShort ? 1 : rounds); round++) {
    for (const at of inOrder(round)) sums[at] += await load(sides[at], seconds);
  }
  return hundredths(sums[0] / sums[1]);
}

/** Who comes first changes: a machine that is slowing down would wrong the second. */
const inOrder = (round: number) => round % 2 === 0 ? [0, 1] as const : [1, 0] as const;

/** V8 goes on compiling for the first seconds of a process, which a server has long behind it. */
const WARM_UP_TURNS = 2;

/** The median over turns of one figure over another, taken in turns, behind those that warm both up. */
export async function medianRatio(
  turns: number,
  ...figures: readonly [() => Promise<number>, () => Promise<number>]
): Promise<number> {
  const ratios: number[] = [];
  const [unmeasured, measured] = isShort ? [1, 1] : [WARM_UP_TURNS, turns];
  for (let turn = 0; turn < unmeasured + measured; turn++) {
    const found: [number, number] = [0, 0];
    for (const at of inOrder(turn)) found[at] = await figures[at]();
    console.error(`  ${found.map((figure) => figure.toFixed(1)).join(" over ")}`);
    if (turn >= unmeasured) ratios.push(found[0] / found[1]);
  }
  return hundredths(median(ratios));
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Asked for again what was found out before; an answer for each subject. */
export function once<Subject, Found>(
  find: (setting: Setting, subject: Subject) => Promise<Found>,
): (setting: Setting, subject: Subject) => Promise<Found> {
  const found = new Map<Subject, Promise<Found>>();
  return (setting, subject) => {
    const known = found.get(subject) ?? find(setting, subject);
    found.set(subject, known);
    return known;
  };
}
