import assert from "node:assert/strict";
import { startFaultyMongodb } from "./faulty_mongodb.ts";
import { faultTest, LONG_SELECTION, openFixture, THINGS } from "./fixture.ts";
import { startLossyWire } from "./lossy_wire.ts";

/** Number of concurrent requests. */
const CONCURRENT_COUNT = 60;
/** Factor: every nth code exists already. */
const TAKEN_EVERY = 3;

async function openInserts() {
  await using opening = new AsyncDisposableStack();
  const mongodb = opening.use(await startFaultyMongodb());
  const { server } = mongodb;
  const wire = opening.use(startLossyWire(server.port));
  const fixture = opening.use(await openFixture(server, { url: wire.url, driver: LONG_SELECTION }));
  const things = await fixture.stored("things");
  const opened = opening.move();
  return {
    mongodb,
    wire,
    async insert(codes: readonly string[]): Promise<number[]> {
      const sent = codes.map((code) => fixture.project.asSecret({ path: THINGS, body: { code } }));
      return (await Promise.all(sent)).map(({ status }) => status);
    },
    async stored(codes: readonly string[]): Promise<number[]> {
      return await Promise.all(codes.map((code) => things.countDocuments({ code })));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const codesOf = (letter: string): string[] =>
  Array.from({ length: CONCURRENT_COUNT }, (_, i) => `${letter}${i}`);

faultTest("concurrent inserts are refused individually", async () => {
  await using inserts = await openInserts();
  assert.deepEqual(await inserts.insert(["taken"]), [201]);
  const codes = codesOf("a").map((code, i) => i % TAKEN_EVERY === 0 ? "taken" : code);
  const expected = codes.map((code) => code === "taken" ? 409 : 201);
  assert.deepEqual(await inserts.insert(codes), expected);
  assert.ok((await inserts.stored([...new Set(codes)])).every((count) => count === 1));
});

faultTest(
  "concurrent inserts whose responses are lost are stored once, or answered with 503",
  async () => {
    await using inserts = await openInserts();
    const repeated = codesOf("b");
    inserts.wire.lose("insert", 1);
    assert.ok((await inserts.insert(repeated)).every((status) => status === 201));
    assert.ok((await inserts.stored(repeated)).every((count) => count === 1));

    // The driver retries a command, so two responses have to be lost.
    const lost = codesOf("c");
    inserts.wire.lose("insert", 2 * CONCURRENT_COUNT);
    const statuses = await inserts.insert(lost);
    assert.ok(statuses.includes(503), "Nothing was lost");
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 503 && status !== 201),
      [],
    );
    const counts = await inserts.stored(lost);
    assert.ok(statuses.every((status, i) => status === 503 ? counts[i]! <= 1 : counts[i] === 1));
    inserts.wire.lose("insert", 0);
    assert.deepEqual(await inserts.insert(["d"]), [201]);
  },
);

faultTest("inserts that a majority may not have are not answered as stored", async () => {
  await using inserts = await openInserts();
  assert.deepEqual(await inserts.insert(["taken"]), [201]);
  const writeConcernError = { code: 64, codeName: "WriteConcernFailed", errmsg: "timed out" };
  await inserts.mongodb.fail(["insert"], { writeConcernError }, "always");
  const statuses = await inserts.insert(["taken", ...codesOf("e"), "taken"]);
  assert.ok(!statuses.includes(201), `They were answered with ${statuses}`);
  await inserts.mongodb.heal();
  assert.deepEqual(await inserts.insert(["f"]), [201]);
});
