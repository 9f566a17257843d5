import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { eq } from "@/lib/store/filter.ts";
import { openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { sampleCalls, takesKey, takesSession } from "./sample_calls.ts";
import { createTestCollection, refused } from "./test_collection.ts";

/** Samples that take a session and no key. With a key, a missing session counts as a bad key. */
const SAMPLES = sampleCalls().filter((sample) => takesSession(sample) && !takesKey(sample));
const DAY = 86_400_000;

const tokenOf = ({ cookie }: TestAccount): string => cookie.split("=")[1]!;

/** Returns `Cookie` headers without a valid session. Null means no header. */
async function badSessions(
  app: TestApp,
  project: TestProject,
): Promise<Record<string, string | null>> {
  const [expired, ended, deleted] = [
    await openAccount(app),
    await openAccount(app),
    await openAccount(app),
  ];
  app.clock.advance(7 * DAY);
  await ended.send({ method: "POST", path: "/api/auth/logout" });
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .deleteOne(eq("_id", deleted.accountId));
  const good = await openAccount(app);
  const token = tokenOf(good);
  const { token: accessToken } = await project.user();
  return {
    missing: null,
    empty: "",
    "the name alone": "corbel_session",
    "an empty value": "corbel_session=",
    "a word": "corbel_session=token",
    "an account's id": `corbel_session=${good.accountId}`,
    "the hash of a session": `corbel_session=${sha256(token)}`,
    "a session cut off": `corbel_session=${token.slice(0, -1)}`,
    "a session and more": `corbel_session=${token}A`,
    "in quotes": `corbel_session="${token}"`,
    "another letter case": `corbel_session=${token.toLowerCase()}`,
    "another first letter": `corbel_session=${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`,
    "under another name": `corbel_sessions=${token}`,
    "under the name for https": `__Host-corbel_session=${token}`,
    "the secret key": `corbel_session=${project.secretKey}`,
    "an access token": `corbel_session=${accessToken}`,
    "an object": 'corbel_session={"$ne":null}',
    "a pattern": "corbel_session=.*",
    "expired": expired.cookie,
    "ended": ended.cookie,
    "of an account that is gone": deleted.cookie,
  };
}

for (const { operationId, call } of SAMPLES) {
  Deno.test(`${operationId}: every invalid session gets one identical 401 with any credentials`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { project } = collection;
    const sessions = await badSessions(app, project);
    const { token } = await project.user();
    const otherCredentials: Record<string, string>[] = [
      {},
      { "x-api-key": project.secretKey },
      { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` },
    ];
    const messages = { bare: new Set<string>(), withKey: new Set<string>() };
    await collection.untouched(async () => {
      for (const [kind, cookie] of Object.entries(sessions)) {
        for (const credentials of otherCredentials) {
          const bad = call.body === undefined ? call : { ...call, body: '{"broken":' };
          for (const one of [call, bad]) {
            const headers = { ...credentials, ...(cookie !== null && { cookie }) };
            const answer = await app.send({ ...one, headers });
            assert.equal(answer.status, 401, `${kind}: ${answer.text}`);
            refused(answer, 401, "SIGN_IN_REQUIRED");
            ("x-api-key" in credentials ? messages.withKey : messages.bare).add(answer.text);
          }
        }
      }
    });
    const sizes = [messages.bare.size, messages.withKey.size];
    assert.deepEqual(sizes, [1, 1], "one message for every invalid session");
    assert.match([...messages.withKey][0]!, /takes an account and no API key/);
  });

  Deno.test(`${operationId}: a valid session is accepted, even among other cookies`, async () => {
    await using app = await openTestApp();
    const { cookie } = await openAccount(app);
    for (const header of [cookie, `a=b; ${cookie}`, `${cookie};c=d`]) {
      const answer = await app.send({ ...call, headers: { cookie: header } });
      assert.notEqual(answer.body?.code, "SIGN_IN_REQUIRED", answer.text);
      if (answer.headers.getSetCookie().length > 0) break; // The operation ended the session.
    }
  });
}

Deno.test("a session expires 7 days after its last use", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const isSignedIn = async () => (await account.send({ path: "/api/auth/me" })).status === 200;
  for (let use = 0; use < 5; use++) {
    app.clock.advance(6.9 * DAY);
    assert.ok(await isSignedIn(), `after use ${use}`);
  }
  app.clock.advance(7 * DAY);
  assert.equal(await isSignedIn(), false);
});
