import type { Recorded } from "./bare.ts";
import { load, type LoadOptions, type Target } from "./load.ts";

/** Many short rounds: what slows the machine for a while spoils few of them. */
const ROUNDS = 9;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 2;

/** The answer, without what the server underneath sets. Throws for anything but success. */
export async function ask({ url, headers }: Target): Promise<Recorded> {
  const response = await fetch(url, headers && { headers: { ...headers } });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`);
  const kept = [...response.headers].filter(([name]) => !TRANSPORT.includes(name));
  return { headers: kept, body };
}

const TRANSPORT = ["content-length", "date"];

/** Requests per second of one over the other, in turns, so that both see the same machine. */
export async function ratio(
  one: Target,
  other: Target,
  options: LoadOptions = {},
  otherOptions: LoadOptions = options,
): Promise<number> {
  await load(one, { ...options, seconds: WARM_UP_SECONDS });
  await load(other, { ...otherOptions, seconds: WARM_UP_SECONDS });
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const own = await load(one, { seconds: ROUND_SECONDS, ...options });
    ratios.push(own / await load(other, { seconds: ROUND_SECONDS, ...otherOptions }));
  }
  return Math.round(median(ratios) * 100) / 100;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
