import assert from "node:assert/strict";
import { type Attempt, sendAfterFault } from "./attempts.ts";
import { OPERATIONS } from "./operations.ts";
import type { Fixture, RequestResult } from "./fixture.ts";

export type NamedAttempt = readonly [name: string, attempt: Attempt];

/** Commands with a fault. `hello` begins every connection. */
export const COMMANDS: readonly string[] = [
  ...new Set(Object.values(OPERATIONS).flatMap(({ sends }) => sends)),
  "hello",
];

export interface Expectations {
  /** The kind of result; by default any. */
  readonly expected?: RequestResult["kind"] | null;
  /** Whether the effect may appear after the request was refused. */
  readonly mayLinger?: boolean;
}

/** Prepares each operation that sends the command, up to the moment before it is sent. */
export async function prepareAttempts(fixture: Fixture, command: string): Promise<NamedAttempt[]> {
  const concerned = Object.entries(OPERATIONS)
    .filter(([, { sends }]) => command === "hello" || sends.includes(command));
  const attempts: NamedAttempt[] = [];
  for (const [name, operation] of concerned) attempts.push([name, await operation.begin(fixture)]);
  return attempts;
}

/**
 * Sends an attempt during a fault. Resolves to a check for after the fault: the attempt took effect
 * as it was answered, never twice and never partially, and a repeated request is served.
 */
export async function sendDuringFault(
  [name, attempt]: NamedAttempt,
  { expected = null, mayLinger = false }: Expectations = {},
): Promise<() => Promise<void>> {
  const outcome = await attempt.send();
  if (expected !== null) assert.equal(outcome.kind, expected, name);
  if (outcome.kind === "answered") {
    assert.ok(attempt.done.includes(outcome.status), `${name} answered ${outcome.status}`);
  }
  return async () => {
    const before = await attempt.effects();
    if (outcome.kind === "answered") {
      assert.equal(before, 1, `${name} was answered and must take effect once`);
      await attempt.leftover?.(true);
      return;
    }
    assert.ok(before === 0 || before === 1, `${name} took effect ${before} times`);
    if (before === 0 && !mayLinger) await attempt.leftover?.(false);
    const again = await sendAfterFault(attempt.send);
    assert.equal(again.kind, "answered", `${name} is served again`);
    const { status } = again as { status: number };
    const allowed = before === 1 ? [...attempt.done, ...attempt.taken ?? []] : attempt.done;
    assert.ok(allowed.includes(status), `${name} was sent again and answered ${status}`);
    const after = await attempt.effects();
    assert.equal(after, attempt.onceOnly ? 1 : before + 1, `${name}, sent again`);
    await attempt.leftover?.(true);
  };
}

/** Adds the command to the message of a failure. */
export async function withCommandName(command: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new Error(`${command}: ${(error as Error).message}`, { cause: error });
  }
}
