import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Definition } from "@/lib/store/port.ts";
import { type Fixture, type RequestResult, requestResult } from "./fixture.ts";

export interface Attempt {
  send(): Promise<RequestResult>;
  /** Returns how often the attempt took effect. Throws if it took effect partially. */
  effects(): Promise<number>;
  /** Fails if the attempt left data that does not belong to any of its results. */
  leftover?(isDone: boolean): Promise<void>;
  /** Response statuses that mean that the attempt took effect. */
  readonly done: readonly number[];
  /** Further statuses of a repeated request after the attempt took effect. */
  readonly taken?: readonly number[];
  /** Whether a repeated request has no second effect. */
  readonly onceOnly: boolean;
}

export interface Operation {
  readonly sends: readonly string[];
  begin(fixture: Fixture): Promise<Attempt>;
}

export const COUNTERS: Definition = { name: "counters", fields: {}, indexes: [], trash: false };

let last = 1000;
/** Returns a new number, larger than any counter in the tests. */
export const nextNumber = (): number => ++last;

export const newId = (): string => crypto.getRandomValues(new Uint8Array(12)).toHex();

/** Creates a read operation, which succeeds if it returns the same response as before the fault. */
export function readOperation(
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
          const outcome = await requestResult(read());
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

export async function createCounter(fixture: Fixture): Promise<string> {
  const _id = newId();
  await portFixture(fixture).counters.insert({ _id, n: 0 });
  return _id;
}

export const counterValue = async (fixture: Fixture, id: string): Promise<number> =>
  (await portFixture(fixture).counters.get(id))!.value.n as number;

/** Maximum number of retries after a fault, and their pause. */
const RETRIES_MAX = 10;
const RETRY_PAUSE_MS = 500;

/** Repeats a refused request after a fault: the server may keep locks for a moment. */
export async function sendAfterFault(send: () => Promise<RequestResult>): Promise<RequestResult> {
  let outcome = await send();
  for (let tries = 0; outcome.kind === "unavailable" && tries < RETRIES_MAX; tries++) {
    await delay(RETRY_PAUSE_MS);
    outcome = await send();
  }
  return outcome;
}
