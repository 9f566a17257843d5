import assert from "node:assert/strict";
import { startMongodb } from "../services/mongodb_server.ts";
import { about, begun, COMMANDS, suffered } from "./endured.ts";
import { type LossyWire, startLossyWire } from "./lossy_wire.ts";
import { faultTest, type Fixture, openFixture, PATIENT } from "./fixture.ts";

async function endure(fixture: Fixture, wire: LossyWire, command: string, times: number) {
  const checks: (() => Promise<void>)[] = [];
  for (const one of await begun(fixture, command)) {
    wire.lose(command, times);
    checks.push(await suffered(one));
    if (command !== "hello" && times === 1) assert.equal(wire.left(), 0, `${one[0]} lost nothing`);
  }
  wire.lose(command, 0);
  for (const check of checks) await check();
}

faultTest(
  "what MongoDB did though its answer got lost is done once, and answered so or a 503",
  async (t) => {
    await using server = await startMongodb();
    await using wire = startLossyWire(server.port);
    await using fixture = await openFixture(server, { url: wire.url, driver: PATIENT });
    // The driver sends most commands a second time, so two losses are told from one.
    for (const times of [1, 2, 5]) {
      await t.step({
        name: `${times} lost`,
        async fn() {
          for (const command of COMMANDS) {
            await about(command, endure(fixture, wire, command, times));
          }
        },
        sanitizeOps: false, // Connections outlive the step; the whole test is looked at.
        sanitizeResources: false,
      });
    }
  },
);
