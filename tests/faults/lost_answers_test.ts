import assert from "node:assert/strict";
import { startMongodb } from "../services/mongodb_server.ts";
import { COMMANDS, prepareAttempts, sendDuringFault, withCommandName } from "./trials.ts";
import { type LossyWire, startLossyWire } from "./lossy_wire.ts";
import { faultTest, type Fixture, LONG_SELECTION, openFixture } from "./fixture.ts";

async function runTrial(fixture: Fixture, wire: LossyWire, command: string, times: number) {
  const checks: (() => Promise<void>)[] = [];
  for (const one of await prepareAttempts(fixture, command)) {
    wire.lose(command, times);
    checks.push(await sendDuringFault(one));
    if (command !== "hello" && times === 1) {
      assert.equal(wire.left(), 0, `${one[0]} lost no response`);
    }
  }
  wire.lose(command, 0);
  for (const check of checks) await check();
}

faultTest(
  "a command whose response is lost is done once and answered so, or with a 503",
  async (t) => {
    await using server = await startMongodb();
    await using wire = startLossyWire(server.port);
    await using fixture = await openFixture(server, { url: wire.url, driver: LONG_SELECTION });
    // The driver retries most commands once, so two losses differ from one.
    for (const times of [1, 2, 5]) {
      await t.step({
        name: `${times} lost`,
        async fn() {
          for (const command of COMMANDS) {
            await withCommandName(command, runTrial(fixture, wire, command, times));
          }
        },
        sanitizeOps: false, // Connections outlive the step; the sanitizer checks the complete test.
        sanitizeResources: false,
      });
    }
  },
);
