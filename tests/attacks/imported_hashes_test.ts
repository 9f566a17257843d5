import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  alterArchive,
  archiveOf,
  assertTraceless,
  importBytes,
  recordsIn,
} from "../api/archives.ts";
import { refused } from "../api/test_collection.ts";
import { ADA, logIn, PASSWORD } from "../api/user_email.ts";

/** A hash that takes a gigabyte and 30 passes per attempt. */
const COSTLY = `$argon2id$v=19$m=1048576,t=30,p=1$c29tZXNhbHRzb21lc2FsdA$${"A".repeat(43)}`;
const USERS_ENTRY = "users/0000001.ndjson";

Deno.test("an archive with a hash that costs a gigabyte is refused by user and leaves no trace", async () => {
  await using there = await openTestApp();
  const project = await there.project();
  const { projectId } = project;
  const userId = await createUser(there.services, projectId, { email: ADA, verified: true });
  const { bytes } = await archiveOf(there.services, projectId);
  await using app = await openTestApp();
  const costly = [COSTLY, `$2b$14$${"A".repeat(53)}`, COSTLY.replace("t=30", "t=1")];
  for (const passwordHash of costly) {
    const given = await alterArchive(bytes, (all) => {
      const [user] = recordsIn(all.get(USERS_ENTRY)!);
      const record = { ...user!.record, passwordHash };
      all.set(USERS_ENTRY, `${JSON.stringify({ ...user!, record })}\n`);
    }, { hasMatchingEnd: true });
    const refusal = new RegExp(`users, ${userId}: "passwordHash" must be of argon2id`);
    await assertTraceless(app.services, () => importBytes(app.services, given), refusal);
    await assertTraceless(
      app.services,
      () => importBytes(app.services, given, { isCopy: true }),
      refusal,
    );
  }
});

Deno.test("a stored hash that costs a gigabyte is not verified, and the sign-in is fast", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { projectId } = project;
  const userId = await createUser(app.services, projectId, { email: ADA, verified: true });
  await app.services.engine.records<UserRecord>(projectId, USERS)
    .updateOne(eq("_id", userId), { set: { passwordHash: COSTLY } });
  refused(await logIn(project, "eve@example.com", PASSWORD), 401, "INVALID_CREDENTIALS");
  const before = performance.now();
  refused(await logIn(project, ADA, PASSWORD), 401, "INVALID_CREDENTIALS");
  const ms = performance.now() - before;
  // Verifying the hash would take much longer, and a gigabyte.
  assert.ok(ms < 5_000, `it took ${Math.round(ms)} ms`);
});
