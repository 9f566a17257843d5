import assert from "node:assert/strict";
import { hash } from "@node-rs/bcrypt";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import type { Services } from "@/lib/services.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Change } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { isSignedIn } from "./signed_in.ts";
import { ok, refused, times } from "./test_collection.ts";
import {
  ADA,
  countOf,
  type EmailUser,
  HEADER_MODE,
  logIn,
  NEXT_PASSWORD,
  PASSWORD,
  setAuth,
  signUp,
  storedUser,
  userCall,
  userOf,
} from "./user_email.ts";

const updateUser = (
  { services }: TestApp,
  { projectId }: TestProject,
  id: string,
  change: Change,
) => services.engine.records<UserRecord>(projectId, USERS).updateOne(eq("_id", id), change);

/** Creates a user whose imported password hash is of bcrypt. */
async function createImportedUser(
  app: TestApp,
  project: TestProject,
): Promise<EmailUser & { imported: string }> {
  const user = await signUp(project, { email: ADA });
  const imported = await hash(PASSWORD, 4);
  await updateUser(app, project, user.id, { set: { passwordHash: imported } });
  return { ...user, imported };
}

Deno.test("logIn accepts a bcrypt hash once and replaces it with argon2id", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id, imported } = await createImportedUser(app, project);
  refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
  assert.equal(
    (await storedUser(app, project, id)).passwordHash,
    imported,
    "a wrong password changes nothing",
  );
  assert.ok(await isSignedIn(project, userOf(await logIn(project, ADA))));
  const { passwordHash } = await storedUser(app, project, id);
  assert.match(passwordHash!, /^\$argon2id\$/);
  ok(await logIn(project, ADA));
  refused(await logIn(project, ADA, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
  assert.equal((await storedUser(app, project, id)).passwordHash, passwordHash);
});

Deno.test("concurrent logIn requests that replace one bcrypt hash each open a session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await createImportedUser(app, project);
  const before = await countOf(app, project, SESSIONS);
  const answers = await Promise.all(times(10, () => logIn(project, ADA)));
  const users = answers.map((answer) => userOf(answer));
  assert.equal(await countOf(app, project, SESSIONS), before + 10);
  for (const user of users) assert.ok(await isSignedIn(project, user));
  assert.match((await storedUser(app, project, id)).passwordHash!, /^\$argon2id\$/);
});

Deno.test("logIn that replaces a hash does not undo a concurrent password change or disabling", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id, imported } = await createImportedUser(app, project);
  const passwordHash = await app.services.passwords.hash(NEXT_PASSWORD);
  for (const set of [{ passwordHash }, { passwordHash: imported, disabled: true }]) {
    await updateUser(app, project, id, { set: { passwordHash: imported, disabled: false } });
    const sessions = await countOf(app, project, SESSIONS);
    const services: Services = {
      ...app.services,
      passwords: {
        ...app.services.passwords,
        async hash(password) {
          await updateUser(app, project, id, { set });
          return await app.services.passwords.hash(password);
        },
      },
    };
    const headers = { "x-api-key": project.publishableKey, ...HEADER_MODE };
    const call = userCall("login", { email: ADA, password: PASSWORD }, headers);
    refused(await send(createApp(services), call), 401, "INVALID_CREDENTIALS");
    const stored = await storedUser(app, project, id);
    assert.deepEqual({ ...stored, ...set }, stored);
    assert.equal(await countOf(app, project, SESSIONS), sessions);
  }
});

Deno.test("logIn keeps a bcrypt hash if the e-mail must be verified first", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id, imported } = await createImportedUser(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  refused(await logIn(project, ADA), 403, "EMAIL_NOT_VERIFIED");
  assert.equal((await storedUser(app, project, id)).passwordHash, imported);
});
