/** Runs processes that kill themselves by SIGKILL before a given step. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { announceSessions, endSessions } from "../support/mongodb.ts";
import { database } from "../support/test_store.ts";

/** A MongoDB session, as a process reports it in its output. */
interface SaidSession {
  readonly said: "session";
  readonly id: string;
}

/**
 * Runs a program until it exits and passes on each line of its output. Returns false if the program
 * finished before the step at which it should have been killed.
 */
export async function sacrifice<Said>(
  program: URL,
  orders: object,
  take: (said: Said) => void,
): Promise<boolean> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "-A", fileURLToPath(program), JSON.stringify(orders)],
    stdout: "piped",
    stderr: "inherit",
  });
  const { signal, code, stdout } = await command.output();
  const sessions = new Set<string>();
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    if (line === "") continue;
    const said = JSON.parse(line) as Said | SaidSession;
    if ((said as SaidSession).said === "session") sessions.add((said as SaidSession).id);
    else take(said as Said);
  }
  // MongoDB would end the sessions itself, a minute later.
  if (sessions.size > 0) await endSessions(sessions);
  assert.ok(signal === "SIGKILL" || code === 0, `it ended with code ${code}`);
  return signal === "SIGKILL";
}

export const say = (said: object): void =>
  void Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(said)}\n`));

export function saySessions(): void {
  if (database === "mongodb") announceSessions((id) => say({ said: "session", id }));
}

export type Step = () => Promise<void>;

/** Returns a step function that kills this process at call number `at`, counted from 1. */
export function killedBefore(at: number): Step {
  let steps = 0;
  return async () => {
    if (++steps !== at) return;
    Deno.kill(Deno.pid, "SIGKILL");
    await new Promise(() => {}); // Stops until the signal arrives.
  };
}

/** Takes a step before and after each file rename and removal of the driver. */
export function announceFileSteps(step: Step): void {
  const { rename, remove } = Deno;
  Object.assign(Deno, {
    async rename(...args: Parameters<typeof rename>) {
      await step();
      await rename(...args);
      await step();
    },
    async remove(...args: Parameters<typeof remove>) {
      await step();
      await remove(...args);
      await step();
    },
  });
}
