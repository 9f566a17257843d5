/** Documents of several requests that go to the server together. */

import type { Document } from "mongodb";
import assert from "node:assert/strict";
import { startFaultyMongodb } from "./faulty_mongodb.ts";
import { faultTest, openFixture, PATIENT, THINGS } from "./fixture.ts";
import { startLossyWire } from "./lossy_wire.ts";

const AT_ONCE = 60;
/** One in so many has a code that is there already. */
const TAKEN_EVERY = 3;

async function openGroups() {
  await using opening = new AsyncDisposableStack();
  const mongodb = opening.use(await startFaultyMongodb());
  const { server } = mongodb;
  const inserts: Document[] = [];
  const wire = opening.use(startLossyWire(server.port, (command) => {
    if (command["insert"] !== undefined) inserts.push(command);
  }));
  const fixture = opening.use(await openFixture(server, { url: wire.url, driver: PATIENT }));
  const things = await fixture.stored("things");
  const opened = opening.move();
  return {
    mongodb,
    wire,
    /** How many documents each command had that has been sent to the collection. */
    sizes: () =>
      inserts.filter(({ insert }) => insert === things.collectionName)
        .map(({ documents }) => documents.length as number),
    /** Sends as many requests at once, and resolves to their statuses. */
    async insert(codes: readonly string[], text = ""): Promise<number[]> {
      const sent = codes.map((code) =>
        fixture.project.asSecret({ path: THINGS, body: { code, text } })
      );
      return (await Promise.all(sent)).map(({ status }) => status);
    },
    /** By code, how many documents there are. */
    async stored(codes: readonly string[]): Promise<number[]> {
      return await Promise.all(codes.map((code) => things.countDocuments({ code })));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const codesOf = (letter: string): string[] =>
  Array.from({ length: AT_ONCE }, (_, i) => `${letter}${i}`);

faultTest("documents that come at once go together, and each is refused for itself", async () => {
  await using groups = await openGroups();
  assert.deepEqual(await groups.insert(["taken"]), [201]);
  const before = groups.sizes().length;
  const codes = codesOf("a").map((code, i) => i % TAKEN_EVERY === 0 ? "taken" : code);
  const expected = codes.map((code) => code === "taken" ? 409 : 201);
  assert.deepEqual(await groups.insert(codes), expected);
  const sizes = groups.sizes().slice(before);
  assert.equal(sizes.reduce((sum, one) => sum + one, 0), AT_ONCE);
  assert.ok(sizes.length <= AT_ONCE / 4, `They went in ${sizes.length} commands`);
  assert.ok((await groups.stored([...new Set(codes)])).every((count) => count === 1));
});

faultTest(
  "documents whose common answer is lost are stored once, or answered with 503",
  async () => {
    await using groups = await openGroups();
    const repeated = codesOf("b");
    groups.wire.lose("insert", 1);
    assert.ok((await groups.insert(repeated)).every((status) => status === 201));
    assert.ok((await groups.stored(repeated)).every((count) => count === 1));

    // The driver sends a command once more, so all that is under way at first is lost.
    const lost = codesOf("c");
    groups.wire.lose("insert", 8);
    const statuses = await groups.insert(lost);
    assert.ok(statuses.includes(503), "Nothing was lost");
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 503 && status !== 201),
      [],
    );
    const counts = await groups.stored(lost);
    assert.ok(statuses.every((status, i) => status === 503 ? counts[i]! <= 1 : counts[i] === 1));
    groups.wire.lose("insert", 0);
    assert.deepEqual(await groups.insert(["d"]), [201]);
  },
);

faultTest("documents of which a majority may know nothing are not answered as stored", async () => {
  await using groups = await openGroups();
  assert.deepEqual(await groups.insert(["taken"]), [201]);
  const writeConcernError = { code: 64, codeName: "WriteConcernFailed", errmsg: "timed out" };
  await groups.mongodb.fail(["insert"], { writeConcernError }, "always");
  const statuses = await groups.insert(["taken", ...codesOf("e"), "taken"]);
  assert.ok(!statuses.includes(201), `They were answered with ${statuses}`);
  await groups.mongodb.heal();
  assert.deepEqual(await groups.insert(["f"]), [201]);
});

faultTest("large documents that come at once go one by one", async () => {
  await using groups = await openGroups();
  const before = groups.sizes().length;
  const codes = codesOf("g").slice(0, 12);
  assert.deepEqual(await groups.insert(codes, "x".repeat(65_536)), codes.map(() => 201));
  assert.deepEqual(groups.sizes().slice(before), codes.map(() => 1));
});
