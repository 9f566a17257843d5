/** Slow lists of one project, and the rest of the connection pool for other requests. */

import assert from "node:assert/strict";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestProject } from "../support/test_app.ts";
import { type FaultyMongodb, startFaultyMongodb } from "./faulty_mongodb.ts";
import { createCollections, faultTest, type Fixture, openFixture, THINGS } from "./fixture.ts";

/** Options with 8 connections, of which the lists of all projects use at most 7. */
const POOL = { driver: { maxPoolSize: 8 } };
/** Number of connections that the lists of a project use at most. */
const LIST_CONNECTIONS_MAX = 4;

/** Milliseconds of a slow command: longer than all other requests of a test. */
const SLOW_MS = 3_000;
/** Number of concurrent lists, which exceeds the connections. */
const LISTS_COUNT = 40;

const slowCounts = (mongodb: FaultyMongodb, blockTimeMS = SLOW_MS): Promise<void> =>
  mongodb.fail(["count"], { blockConnection: true, blockTimeMS }, "always");

/** Sends different lists or counts concurrently. */
const ask = (project: TestProject, query: string, times: number): Promise<Answer>[] =>
  Array.from(
    { length: times },
    (_, n) => project.asSecret({ path: `${THINGS}?other=${n}&${query}` }),
  );

const statusesOf = async (answers: readonly Promise<Answer>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

async function useThings(project: TestProject): Promise<void> {
  const done = async (call: Call, status = 200) => {
    const answer = await project.asSecret(call);
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  const created = await done({ path: THINGS, body: { n: 1 } }, 201);
  const path = `${THINGS}/${created.body.data._id}`;
  await done({ path });
  await done({ path, method: "PATCH", body: { n: 2 } });
  await done({ path, method: "DELETE" });
}

async function otherProject({ app }: Fixture): Promise<TestProject> {
  const other = await app.project();
  await createCollections(other);
  await useThings(other);
  return other;
}

faultTest("slow lists of one project do not block other writes and reads by id", async () => {
  await using mongodb = await startFaultyMongodb();
  await using fixture = await openFixture(mongodb.server, POOL);
  const { project } = fixture;
  const other = await otherProject(fixture);
  await slowCounts(mongodb);
  let answered = 0;
  const slow = [
    ...ask(project, "count=true", LISTS_COUNT),
    ...ask(project, "sort=code", LISTS_COUNT),
  ]
    .map((one) => one.finally(() => answered++));
  await useThings(other);
  await useThings(project);
  assert.equal((await other.asSecret({ path: `${THINGS}?total=none` })).status, 200);
  assert.equal(answered, 0, "the slow lists are still in progress");
  await mongodb.heal();
  assert.deepEqual(new Set(await statusesOf(slow)), new Set([200]));
});

faultTest(
  "a list that waits too long for a connection is 503 with the index that would help",
  async () => {
    await using mongodb = await startFaultyMongodb();
    const env = { QUERY_TIME_LIMIT_MS: "500" };
    await using fixture = await openFixture(mongodb.server, { ...POOL, env });
    const { project } = fixture;
    await slowCounts(mongodb);
    const slow = ask(project, "count=true", LIST_CONNECTIONS_MAX);
    const late = [
      ...ask(project, "sort=updatedAt", LISTS_COUNT),
      ...ask(project, "sort=updatedAt&explain=true", 1),
    ];
    for (const answer of await Promise.all(late)) {
      assert.deepEqual([answer.status, answer.body.code], [503, "QUERY_TOO_SLOW"], answer.text);
      assert.match(answer.body.message, /an index on "updatedAt" would help/);
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }
    assert.deepEqual(await statusesOf(slow), Array(LIST_CONNECTIONS_MAX).fill(200));
    await mongodb.heal();
    assert.deepEqual(
      await statusesOf(ask(project, "count=true", LIST_CONNECTIONS_MAX)),
      Array(LIST_CONNECTIONS_MAX).fill(200),
    );
  },
);

for (
  const [what, fault] of [
    ["that MongoDB gives up", { errorCode: 50 }],
    ["whose connection breaks", { closeConnection: true }],
  ] as const
) {
  faultTest(`lists ${what} release their connections`, async () => {
    await using mongodb = await startFaultyMongodb();
    await using fixture = await openFixture(mongodb.server, POOL);
    const { project } = fixture;
    await mongodb.fail(["find", "count", "explain"], fault, "always");
    const lost = [
      ...ask(project, "count=true", LISTS_COUNT),
      ...ask(project, "sort=code", LISTS_COUNT),
      ...ask(project, "explain=true", LISTS_COUNT),
    ];
    assert.deepEqual(new Set(await statusesOf(lost)), new Set([503]));
    await mongodb.heal();
    for (const query of ["count=true", "sort=code", "explain=true"]) {
      assert.deepEqual(new Set(await statusesOf(ask(project, query, LISTS_COUNT))), new Set([200]));
    }
  });
}
