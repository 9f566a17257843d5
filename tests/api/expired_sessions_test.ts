import assert from "node:assert/strict";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { ALL } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { arrive, refreshed, signIn } from "./signed_in.ts";

const DAY = 86_400_000;

async function countRecords({ services: { engine } }: TestApp, { projectId }: TestProject) {
  const definitions = [EXCHANGE_CODES, REFRESH_TOKENS, SESSIONS];
  return await Promise.all(
    definitions.map((definition) => engine.records(projectId, definition).count(ALL)),
  );
}

Deno.test("maintenance removes expired codes, tokens and sessions only, even concurrently", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await arrive(app, project);
  const user = await signIn(app, project);
  await signIn(app, other);
  assert.deepEqual(await countRecords(app, project), [1, 1, 2]);
  app.clock.advance(61_000);
  await maintain(app.services);
  assert.deepEqual(await countRecords(app, project), [0, 1, 2], "a code expires after a minute");

  app.clock.advance(29 * DAY);
  const next = await refreshed(project, user.refreshToken);
  app.clock.advance(2 * DAY);
  const passes = await Promise.all([maintain(app.services), maintain(app.services)]);
  assert.equal(passes[0].expired + passes[1].expired, 4);
  assert.deepEqual(await countRecords(app, project), [0, 1, 1], "the refreshed session remains");
  assert.deepEqual(await countRecords(app, other), [0, 0, 0]);
  await refreshed(project, next);
});
