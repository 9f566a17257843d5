import assert from "node:assert/strict";
import type { LogFields } from "./log.ts";
import { silentLog } from "./log.ts";
import { fakeClock } from "@/tests/support/test_services.ts";
import { createConnectionShortage } from "./connection_shortage.ts";

const MINUTE_MS = 60_000;

Deno.test("note logs a shortage once a minute, and isRecent is true for a minute", () => {
  const clock = fakeClock();
  const lines: [string, LogFields | undefined][] = [];
  const log = {
    ...silentLog,
    write: (level: string, _message: string, fields?: LogFields) =>
      void lines.push([level, fields]),
  };
  const shortage = createConnectionShortage({ clock, log });
  assert.equal(shortage.isRecent(), false);
  shortage.note(3);
  assert.equal(shortage.isRecent(), true);
  clock.advance(MINUTE_MS - 1);
  shortage.note(4);
  assert.deepEqual(lines, [["warn", { closed: 3 }]]);
  clock.advance(1);
  shortage.note(5);
  assert.deepEqual(lines.slice(1), [["warn", { closed: 9 }]]);
  clock.advance(MINUTE_MS - 1);
  assert.equal(shortage.isRecent(), true);
  clock.advance(1);
  assert.equal(shortage.isRecent(), false);
});
