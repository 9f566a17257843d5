import { CONNECTIONS, type LoadOptions, type Target, underLoad } from "./load.ts";

/** Many short rounds: what slows the machine for a while meets both sides alike. */
const ROUNDS = 20;
const ROUND_SECONDS = 1;
const WARM_UP_SECONDS = 2;

/** Throws for anything but success. */
export async function ask({ url, headers }: Target): Promise<{ readonly body: string }> {
  const response = await fetch(url, headers && { headers: { ...headers } });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`);
  return { body };
}

export interface CompareOptions extends LoadOptions {
  /** How often each side has its turn; {@linkcode ROUNDS} unless given. */
  readonly rounds?: number;
}

/** How often a side was asked, warming up included. */
export interface Asked {
  readonly answered: number;
  /** Requests that may have been under way when a turn ended: nobody saw whether they were done. */
  readonly open: number;
}

/** Requests of one over those of the other in as much time, in turns, so that both see the same machine. */
export async function ratio(
  one: Target,
  other: Target,
  options: CompareOptions = {},
  otherOptions: LoadOptions = options,
): Promise<number> {
  return (await compare(one, other, options, otherOptions)).ratio;
}

/** As {@linkcode ratio}, and how often each side was asked for it. */
export async function compare(
  one: Target,
  other: Target,
  { rounds = ROUNDS, ...options }: CompareOptions = {},
  otherOptions: LoadOptions = options,
): Promise<{ readonly ratio: number; readonly asked: readonly [Asked, Asked] }> {
  const sides = [side(one, options), side(other, otherOptions)] as const;
  for (const { turn } of sides) await turn({ seconds: WARM_UP_SECONDS });
  const perSecond = [0, 0] as [number, number];
  for (let round = 0; round < rounds; round++) {
    // Who comes first changes: a machine that is slowing down would wrong the second.
    const order = round % 2 === 0 ? [0, 1] as const : [1, 0] as const;
    for (const at of order) perSecond[at] += await sides[at].turn({});
  }
  return {
    ratio: Math.round(perSecond[0] / perSecond[1] * 100) / 100,
    asked: [sides[0].asked(), sides[1].asked()],
  };
}

function side(target: Target, options: LoadOptions) {
  const asked = { answered: 0, open: 0 };
  return {
    asked: (): Asked => asked,
    /** Resolves to requests per second. */
    async turn(instead: LoadOptions): Promise<number> {
      const { answered, perSecond } = await underLoad(target, {
        seconds: ROUND_SECONDS,
        ...options,
        ...instead,
      });
      asked.answered += answered;
      asked.open += options.connections ?? CONNECTIONS;
      return perSecond;
    },
  };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
