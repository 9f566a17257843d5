import assert from "node:assert/strict";
import { startFaultyMongodb } from "./faulty_mongodb.ts";
import { faultTest, openFixture, THINGS } from "./fixture.ts";

/** Fault with MongoDB's code for a command that exceeded `maxTimeMS`. */
const TIME_LIMIT = { errorCode: 50 };

faultTest("a list or count that MongoDB aborts is 503 with the field to index", async () => {
  await using mongodb = await startFaultyMongodb();
  await using fixture = await openFixture(mongodb.server);
  const { project } = fixture;
  const lists = [
    ["find", "?other=1&sort=code", null],
    ["find", "?sort=updatedAt&total=none", "updatedAt"],
    ["find", "?n=1", null],
    ["count", "?code=x&n_gt=1", null],
    ["count", "?count=true&sort=n", null],
  ] as const;
  for (const [command, query, field] of lists) {
    await mongodb.fail([command], TIME_LIMIT, "always");
    const answer = await project.asSecret({ path: `${THINGS}${query}` });
    await mongodb.heal();
    const { status, body } = answer;
    assert.deepEqual([status, body.code], [503, "QUERY_TOO_SLOW"], `${query}: ${answer.text}`);
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    if (field !== null) assert.match(body.message, new RegExp(`an index on "${field}" would help`));
    assert.equal((await project.asSecret({ path: `${THINGS}${query}` })).status, 200);
  }
});

/** A condition that takes the server many times the limit on the texts below, without a match. */
const SLOW_CONDITION = "text_regex=x*x*x*y";
const TEXTS = Array.from({ length: 100 }, (_, n) => ({ n, text: "x".repeat(60_000) }));
const LIMIT_MS = 10;

faultTest("MongoDB itself aborts a slow list or count", async () => {
  await using mongodb = await startFaultyMongodb();
  const env = { QUERY_TIME_LIMIT_MS: String(LIMIT_MS) };
  await using fixture = await openFixture(mongodb.server, { env });
  const { project } = fixture;
  for (let time = 1; time <= 3; time++) {
    const filled = await project.asSecret({ path: `${THINGS}/bulk`, body: TEXTS });
    assert.equal(filled.status, 201, filled.text);
  }
  for (const query of ["total=none", "count=true", "total=estimate"]) {
    const answer = await project.asSecret({ path: `${THINGS}?${SLOW_CONDITION}&${query}` });
    assert.deepEqual([answer.status, answer.body.code], [503, "QUERY_TOO_SLOW"], answer.text);
  }
});
