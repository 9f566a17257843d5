/** How an operation is tried, and what several of them are made of. */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Definition } from "@/lib/store/port.ts";
import { type Fixture, type Outcome, outcomeOf } from "./fixture.ts";

/** One run of an operation. */
export interface Attempt {
  send(): Promise<Outcome>;
  /** How often it took effect. Throws when it did by half. */
  effects(): Promise<number>;
  /** Looks for what is left over that belongs to no state of it. */
  leftover?(isDone: boolean): Promise<void>;
  /** Statuses that say that it was done. */
  readonly done: readonly number[];
  /** Statuses, beside those, with which the same is refused once it was done. */
  readonly taken?: readonly number[];
  /** Whether sent again it has no second effect. */
  readonly onceOnly: boolean;
}

export interface Operation {
  /** The commands that it sends. */
  readonly sends: readonly string[];
  begin(fixture: Fixture): Promise<Attempt>;
}

export const COUNTERS: Definition = { name: "counters", fields: {}, indexes: [], trash: false };

let last = 1000;
/** A number that nobody had before, and larger than any counter here. */
export const next = (): number => ++last;

export const newId = (): string => crypto.getRandomValues(new Uint8Array(12)).toHex();

/** A read: it is right when it answers as it did before. */
export function reading(
  path: string,
  sends: readonly string[],
  prepare?: (fixture: Fixture) => void,
) {
  return {
    sends,
    async begin(fixture: Fixture): Promise<Attempt> {
      const read = () => fixture.project.asSecret({ path });
      const expected = (await read()).text;
      prepare?.(fixture);
      return {
        async send() {
          const outcome = await outcomeOf(read());
          if (outcome.kind === "answered") assert.equal(outcome.answer!.text, expected);
          return outcome;
        },
        effects: () => Promise.resolve(1),
        done: [200],
        onceOnly: true,
      };
    },
  };
}

export const portFixture = ({ app, project }: Fixture) => {
  const { engine } = app.services;
  return {
    engine,
    space: project.projectId,
    counters: engine.records(project.projectId, COUNTERS),
  };
};

export async function counter(fixture: Fixture): Promise<string> {
  const _id = newId();
  await portFixture(fixture).counters.insert({ _id, n: 0 });
  return _id;
}

export const valueOf = async (fixture: Fixture, id: string): Promise<number> =>
  (await portFixture(fixture).counters.get(id))!.value.n as number;

/** How often something that is refused still is sent again when the fault is over, and how soon. */
const AGAIN_MAX = 10;
const AGAIN_MS = 500;

/**
 * Sends something when a fault is over: again while it is refused, since a server may hold what a
 * transaction wrote whose end it never heard of, for a moment.
 */
export async function sentAfterwards(send: () => Promise<Outcome>): Promise<Outcome> {
  let outcome = await send();
  for (let tries = 0; outcome.kind === "unavailable" && tries < AGAIN_MAX; tries++) {
    await delay(AGAIN_MS);
    outcome = await send();
  }
  return outcome;
}
