/** Processes that end themselves by SIGKILL when they are about to take a step, and who runs them. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { announceSessions, endSessions } from "../support/mongodb.ts";
import { database } from "../support/test_store.ts";

/** Of MongoDB, among what a process says. */
interface SaidSession {
  readonly said: "session";
  readonly id: string;
}

/**
 * Runs a program to its end, and hands on what it says, a line each; false for one that had fewer
 * steps than it was to take.
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
  // What MongoDB would do by itself, a minute later.
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

/** Ends this process at the step of this number, counted from 1. */
export function killedBefore(at: number): Step {
  let steps = 0;
  return async () => {
    if (++steps !== at) return;
    Deno.kill(Deno.pid, "SIGKILL");
    await new Promise(() => {}); // Nothing of it goes on while the signal is on its way.
  };
}

/** What a driver does to files, before and after. */
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
