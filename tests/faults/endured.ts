import assert from "node:assert/strict";
import { type Attempt, sentAfterwards } from "./attempts.ts";
import { OPERATIONS } from "./operations.ts";
import type { Fixture, Outcome } from "./fixture.ts";

/** An operation under way, with its name. */
export type Begun = readonly [name: string, attempt: Attempt];

/** `hello` is how every connection begins, whatever it is for. */
export const COMMANDS: readonly string[] = [
  ...new Set(Object.values(OPERATIONS).flatMap(({ sends }) => sends)),
  "hello",
];

/** What is known of the outcome beforehand. */
export interface Expectations {
  /** By default either will do. */
  readonly expected?: Outcome["kind"] | null;
  /** Whether something may come to be there after it was refused. */
  readonly mayLinger?: boolean;
}

/** Each operation that sends the command, up to the moment before it is sent. */
export async function begun(fixture: Fixture, command: string): Promise<Begun[]> {
  const concerned = Object.entries(OPERATIONS)
    .filter(([, { sends }]) => command === "hello" || sends.includes(command));
  const attempts: Begun[] = [];
  for (const [name, operation] of concerned) attempts.push([name, await operation.begin(fixture)]);
  return attempts;
}

/**
 * Sends it under a fault; resolves to what is to be checked once the fault is over: that it took
 * effect as it was answered, never twice and never by half, and that it is served again.
 */
export async function suffered(
  [name, attempt]: Begun,
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
      assert.equal(before, 1, `${name} was answered, so it took effect once`);
      await attempt.leftover?.(true);
      return;
    }
    assert.ok(before === 0 || before === 1, `${name} took effect ${before} times`);
    if (before === 0 && !mayLinger) await attempt.leftover?.(false);
    const again = await sentAfterwards(attempt.send);
    assert.equal(again.kind, "answered", `${name} is served again`);
    const { status } = again as { status: number };
    const allowed = before === 1 ? [...attempt.done, ...attempt.taken ?? []] : attempt.done;
    assert.ok(allowed.includes(status), `${name} was sent again and answered ${status}`);
    const after = await attempt.effects();
    assert.equal(after, attempt.onceOnly ? 1 : before + 1, `${name}, sent again`);
    await attempt.leftover?.(true);
  };
}

/** Says which command it was about when it fails. */
export async function about(command: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new Error(`${command}: ${(error as Error).message}`, { cause: error });
  }
}
