import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { eq } from "@/lib/store/filter.ts";
import type { TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { deleteCall, openTeam, type Team } from "./team.ts";
import { createCollection } from "@/tests/support/given.ts";

const create = (team: Team, name: string, by: TestAccount = team.owner) =>
  by.send({ path: team.path("/collections"), body: { name, fields: [] } });

const count = async ({ services }: TestApp, { projectId }: Team) =>
  (await listCollections(services, projectId)).length;

Deno.test("createCollection applies the plan's limit exactly to 30 concurrent requests", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const answers = await Promise.all(times(30, (n) => create(team, `c${n}`)));
  assert.deepEqual(tally(answers), { 201: 20, 403: 10 });
  assert.equal(await count(app, team), 20);
  for (const answer of answers.filter(({ status }) => status === 403)) {
    const message = /^The free plan allows 20 collections of a project\.$/;
    refused(answer, 403, "PLAN_LIMIT_REACHED", message);
  }
});

Deno.test("deleting a collection makes room at once, and a larger plan within 5 s", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const n of times(20, (n) => n)) ok(await create(team, `c${n}`), 201);
  refused(await create(team, "more"), 403, "PLAN_LIMIT_REACHED");
  ok(await team.owner.send(deleteCall(team.path("/collections/c7"))));
  ok(await create(team, "more"), 201);
  refused(await create(team, "another"), 403, "PLAN_LIMIT_REACHED");
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", team.owner.accountId), { set: { plan: "pro" } });
  app.clock.advance(5000);
  ok(await create(team, "another", team.admin), 201);
});

Deno.test("a project without an owner has the free plan's limit, in the admin CLI too", async () => {
  await using app = await openTestApp();
  const { projectId } = await app.project();
  const add = (n: number) =>
    createCollection(app.services, projectId, { name: `c${n}`, fields: [] });
  for (const n of times(20, (n) => n)) await add(n);
  await assert.rejects(add(20), { code: "PLAN_LIMIT_REACHED" });
});
