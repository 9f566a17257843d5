import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { cookieOf, isSignedIn, refresh, SITE } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  assertTraceless,
  authProject,
  claimsOf,
  declareFields,
  HEADER_MODE,
  sentMails,
  setAuth,
  storedUsers,
  userCall,
  userOf,
} from "./user_email.ts";

const call = (headers: Record<string, string> = HEADER_MODE) =>
  userCall("anonymous", undefined, headers);

Deno.test("anonymous creates a user without an address, with field defaults, and a session", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  await declareFields(
    app,
    project,
    { key: "company", type: "String", required: true },
    { key: "theme", type: "String", default: "dark" },
  );
  const answer = await project.asPublic(call());
  const { user, userId } = ok(answer, 201);
  const { email, emailVerified, isAnonymous, username, providers, company, theme } = user;
  assert.deepEqual(
    [email, emailVerified, isAnonymous, username, providers, company, theme],
    [null, false, true, null, [], null, "dark"],
  );
  assert.equal(answer.body.message, "Signed in");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const guest = userOf(answer, 201);
  assert.equal(claimsOf(guest.token).sub, userId);
  assert.ok(await isSignedIn(project, guest));
  ok(await refresh(project, guest.refreshToken));
  assert.deepEqual(await sentMails(app, project), []);
});

Deno.test("anonymous sets the refresh cookie, or returns the token in header mode", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true }, { siteUrl: SITE });
  const own = await project.asPublic(call({ origin: SITE }));
  assert.equal(ok(own, 201).refreshToken, undefined);
  assert.match(cookieOf(own)!.pair, new RegExp(`^corbel_rt_${project.projectId}=`));
  const header = await project.asPublic(call());
  assert.equal(typeof ok(header, 201).refreshToken, "string");
  assert.equal(cookieOf(header), null);
});

Deno.test("anonymous: 50 concurrent calls create 50 users, who cannot see each other", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  await project.collection({ name: "notes", rls: { mode: "private" } });
  const answers = await Promise.all(times(50, () => project.asPublic(call())));
  assert.deepEqual(tally(answers), { 201: 50 });
  const [one, two] = answers.map((answer) => userOf(answer, 201));
  assert.equal(new Set(answers.map((answer) => ok(answer, 201).userId)).size, 50);
  ok(await project.asPublic({ path: "/api/data/notes", body: { text: "mine" } }, one), 201);
  const seen = ok(await project.asPublic({ path: "/api/data/notes" }, two));
  assert.deepEqual(seen.items, []);
});

Deno.test("anonymous is 403 by default and while sign-up is closed, and creates no user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(call()), 403, "SIGN_IN_METHOD_OFF");
    await setAuth(app, project, { anonymous: true, signUp: "closed" });
    refused(await project.asPublic(call()), 403, "SIGN_UP_CLOSED");
  });
  assert.deepEqual(await storedUsers(app, project), []);
});
