import assert from "node:assert/strict";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openTestServices } from "../support/test_services.ts";

/** How long a change may go unseen by another process. */
const STALE_MS = 5000;

Deno.test("a session revoked in one process is refused there at once and in another within 5 s", async () => {
  await using one = await openTestApp();
  await using services = await openTestServices({ store: one.store, clock: one.clock });
  const other = createApp(services.services);
  const project = await one.project();
  await project.collection({ name: "notes", fields: [] });
  const user = await project.user();
  const staying = await project.user();
  const path = "/api/data/notes";
  const callOf = ({ token }: { token: string }) => ({
    path,
    headers: { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` },
  });
  const statuses = async (call: ReturnType<typeof callOf>) => [
    (await one.send(call)).status,
    (await send(other, call)).status,
  ];
  assert.deepEqual(await statuses(callOf(user)), [200, 200]);
  assert.deepEqual(await statuses(callOf(staying)), [200, 200]);

  const sessions = one.services.engine.records<SessionRecord>(project.projectId, SESSIONS);
  const revokedAt = new Date(one.clock.now()).toISOString();
  const revoked = await sessions.updateOne(eq("userId", user.id), { set: { revokedAt } });
  one.services.sessions.forget(revoked!.value._id);
  assert.equal((await one.send(callOf(user))).status, 401);

  // In steady use, so that nothing is kept for longer because it is asked for.
  for (let passed = 0; passed < STALE_MS; passed += 500) {
    one.clock.advance(500);
    await send(other, callOf(user));
  }
  assert.deepEqual(await statuses(callOf(user)), [401, 401]);
  assert.deepEqual(await statuses(callOf(staying)), [200, 200]);
});
