/** Many slow lists of one project: what they hold of the pool, and what everybody else has of it. */

import assert from "node:assert/strict";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestProject } from "../support/test_app.ts";
import { type FaultyMongodb, startFaultyMongodb } from "./faulty_mongodb.ts";
import { faultTest, type Fixture, furnish, openFixture, THINGS } from "./fixture.ts";

/** A project's lists hold 4 of these connections, those of all projects 7. */
const POOL = { driver: { maxPoolSize: 8 } };
const HELD = 4;

/** How long a slow command takes: longer than everybody else in a test. */
const SLOW_MS = 3_000;
/** More than there are connections. */
const MANY = 40;

const slowCounts = (mongodb: FaultyMongodb, blockTimeMS = SLOW_MS): Promise<void> =>
  mongodb.fail(["count"], { blockConnection: true, blockTimeMS }, "always");

/** Asks for so many lists or counts at once, none of which is another. */
const ask = (project: TestProject, query: string, times: number): Promise<Answer>[] =>
  Array.from(
    { length: times },
    (_, n) => project.asSecret({ path: `${THINGS}?other=${n}&${query}` }),
  );

const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

/** Makes, reads, changes and removes a document. */
async function useThings(project: TestProject): Promise<void> {
  const done = async (call: Call, status = 200) => {
    const answer = await project.asSecret(call);
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  const made = await done({ path: THINGS, body: { n: 1 } }, 201);
  const path = `${THINGS}/${made.body.data._id}`;
  await done({ path });
  await done({ path, method: "PATCH", body: { n: 2 } });
  await done({ path, method: "DELETE" });
}

async function otherProject({ app }: Fixture): Promise<TestProject> {
  const other = await app.project();
  await furnish(other);
  await useThings(other);
  return other;
}

faultTest("slow lists of one project hold up nobody's writes and reads by id", async () => {
  await using mongodb = await startFaultyMongodb();
  await using fixture = await openFixture(mongodb.server, POOL);
  const { project } = fixture;
  const other = await otherProject(fixture);
  await slowCounts(mongodb);
  let answered = 0;
  const slow = [...ask(project, "count=true", MANY), ...ask(project, "sort=code", MANY)]
    .map((one) => one.finally(() => answered++));
  await useThings(other);
  await useThings(project);
  assert.equal((await other.asSecret({ path: `${THINGS}?total=none` })).status, 200);
  assert.equal(answered, 0, "the slow ones are still under way");
  await mongodb.heal();
  assert.deepEqual(new Set(await statusesOf(slow)), new Set([200]));
});

faultTest(
  "a list that waits past its time for others is 503 with the index that would help",
  async () => {
    await using mongodb = await startFaultyMongodb();
    const env = { QUERY_TIME_LIMIT_MS: "500" };
    await using fixture = await openFixture(mongodb.server, { ...POOL, env });
    const { project } = fixture;
    await slowCounts(mongodb);
    const slow = ask(project, "count=true", HELD);
    const late = [
      ...ask(project, "sort=updatedAt", MANY),
      ...ask(project, "sort=updatedAt&explain=true", 1),
    ];
    for (const answer of await Promise.all(late)) {
      assert.deepEqual([answer.status, answer.body.code], [503, "QUERY_TOO_SLOW"], answer.text);
      assert.match(answer.body.message, /an index on "updatedAt" would help/);
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }
    assert.deepEqual(await statusesOf(slow), Array(HELD).fill(200));
    await mongodb.heal();
    assert.deepEqual(await statusesOf(ask(project, "count=true", HELD)), Array(HELD).fill(200));
  },
);

for (
  const [what, fault] of [
    ["that MongoDB gives up", { errorCode: 50 }],
    ["whose connection breaks", { closeConnection: true }],
  ] as const
) {
  faultTest(`lists ${what} give their places back`, async () => {
    await using mongodb = await startFaultyMongodb();
    await using fixture = await openFixture(mongodb.server, POOL);
    const { project } = fixture;
    await mongodb.fail(["find", "count", "explain"], fault, "always");
    const lost = [
      ...ask(project, "count=true", MANY),
      ...ask(project, "sort=code", MANY),
      ...ask(project, "explain=true", MANY),
    ];
    assert.deepEqual(new Set(await statusesOf(lost)), new Set([503]));
    await mongodb.heal();
    for (const query of ["count=true", "sort=code", "explain=true"]) {
      assert.deepEqual(new Set(await statusesOf(ask(project, query, MANY))), new Set([200]));
    }
  });
}
