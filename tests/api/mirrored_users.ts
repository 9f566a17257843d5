/** Scripts of `mirrored_operations_test.ts` for users. */
import assert from "node:assert/strict";
import { Problem } from "@/lib/problems.ts";
import { createApp } from "@/routes/app.ts";
import type { Script, Side } from "./mirrored_operations_test.ts";
import { isSignedIn, signIn } from "./signed_in.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { tooSlowApp } from "./too_slow_app.ts";
import {
  ADA,
  assertTraceless,
  declareFields,
  logIn,
  NEXT_PASSWORD,
  PASSWORD,
  setAuth,
  signUp,
  storedUser,
} from "./user_email.ts";

const appWithFullQueue = ({ app: { services } }: Side) => {
  const run = () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 }));
  return createApp({ ...services, passwordQueue: { run } });
};

async function askForMissing({ ask, app }: Side, body?: object): Promise<void> {
  const stranger = await app.project();
  const foreign = await signIn(app, stranger);
  const sent = body === undefined ? {} : { body };
  refused(await ask({ ...sent, id: UNKNOWN_ID }), 404, "USER_NOT_FOUND");
  refused(await ask({ ...sent, id: foreign.id }), 404, "USER_NOT_FOUND");
  refused(await ask({ ...sent, id: "x" }), 400, "INVALID_ID");
  assert.ok(await isSignedIn(stranger, foreign));
}

const create: Script = async (side) => {
  const { app, project, ask } = side;
  await setAuth(app, project, { signUp: "closed" });
  const account = { email: ADA, password: PASSWORD, emailVerified: true, roles: ["editor"] };
  const user = ok(await ask({ body: account }), 201);
  assert.deepEqual([user.email, user.roles, user.disabled], [ADA, ["editor"], false]);
  assert.equal(ok(await logIn(project, ADA)).userId, user._id);
  ok(await ask({ body: { username: "ada" } }), 201);
  await assertTraceless(app, project, async () => {
    refused(await ask({ body: { email: "ADA@example.com" } }), 409, "EMAIL_TAKEN");
    refused(await ask({ body: { username: "Ada" } }), 409, "USERNAME_TAKEN");
    refused(await ask({ body: { email: "ada" } }), 400, "INVALID_BODY", "email");
    refused(await ask({ body: { password: "short" } }), 400, "INVALID_PASSWORD");
    const full = await ask({
      body: { ...account, email: "b@example.com" },
      over: appWithFullQueue(side),
    });
    refused(full, 503, "PASSWORDS_BUSY");
    assert.equal(full.headers.get("retry-after"), "2");
  });
  await side.admits("admin", { body: { username: "bob" } });
};

const list: Script = async ({ app, project, ask, admits }) => {
  const users = [await project.user()];
  app.clock.advance(1000);
  users.push(await project.user());
  const [ann, bob] = users.map(({ id }) => id);
  const ids = async (query: string) =>
    ok(await ask({ query })).items.map(({ _id }: { _id: string }) => _id);
  assert.deepEqual(await ids(""), [bob, ann]);
  assert.deepEqual(await ids(`?search=${(await storedUser(app, project, ann!)).email}`), [ann]);
  const { nextCursor } = ok(await ask({ query: "?limit=1" }));
  assert.deepEqual(await ids(`?limit=1&cursor=${nextCursor}`), [ann]);
  await admits("viewer");
  refused(await ask({ query: "?limit=x" }), 400, "INVALID_QUERY", "limit");
  refused(await ask({ query: "?cursor=x" }), 400, "INVALID_CURSOR");
  const over = tooSlowApp(app, (kind) => kind === "_users");
  refused(await ask({ over, query: "?search=a" }), 503, "QUERY_TOO_SLOW");
};

const get: Script = async (side) => {
  const { id } = await side.project.user();
  const found = ok(await side.ask({ id }));
  assert.deepEqual([found._id, found.disabled], [id, false]);
  await side.admits("viewer", { id });
  await askForMissing(side);
};

const patch: Script = async (side) => {
  const { app, project, ask } = side;
  await declareFields(app, project, { key: "company", type: "String" });
  const ann = await signIn(app, project);
  const { id } = ann;
  assert.equal(ok(await ask({ id, body: { disabled: true } })).disabled, true);
  assert.equal(await isSignedIn(project, ann), false);
  assert.equal(ok(await ask({ id, body: { disabled: false } })).disabled, false);
  assert.ok(await isSignedIn(project, await signIn(app, project, id)));
  const user = await signUp(project);
  const change = { email: ADA, emailVerified: true, roles: ["editor"], company: "Engines" };
  const changed = ok(await ask({ id: user.id, body: { ...change, password: NEXT_PASSWORD } }));
  const { email, emailVerified, roles, company } = changed;
  assert.deepEqual({ email, emailVerified, roles, company }, change);
  assert.equal(await isSignedIn(project, user), false);
  ok(await logIn(project, ADA, NEXT_PASSWORD));
  ok(await ask({ id: user.id, body: { username: "ada" } }));
  await assertTraceless(app, project, async () => {
    refused(await ask({ id, body: { email: ADA } }), 409, "EMAIL_TAKEN");
    refused(await ask({ id, body: { username: "ADA" } }), 409, "USERNAME_TAKEN");
    refused(await ask({ id, body: { password: "short" } }), 400, "INVALID_PASSWORD");
    const full = { id, body: { password: PASSWORD }, over: appWithFullQueue(side) };
    refused(await ask(full), 503, "PASSWORDS_BUSY");
    for (const body of [{}, { disabled: 1 }, { disabled: true, email: "a" }, { other: "x" }]) {
      refused(await ask({ id, body }), 400, "INVALID_BODY");
    }
  });
  await askForMissing(side, { disabled: true });
  await side.admits("admin", { id, body: { disabled: true } });
};

const remove: Script = async (side) => {
  const { app, project, ask } = side;
  const ann = await signIn(app, project);
  await askForMissing(side);
  assert.ok(await isSignedIn(project, ann));
  assert.deepEqual(ok(await ask({ id: ann.id })), { id: ann.id });
  assert.equal(await isSignedIn(project, ann), false);
  refused(await ask({ id: ann.id }), 404, "USER_NOT_FOUND");
  await side.admits("admin", { id: (await project.user()).id });
};

const endSessions: Script = async (side) => {
  const { app, project, ask } = side;
  const first = await signIn(app, project);
  const second = await signIn(app, project, first.id);
  await askForMissing(side);
  assert.ok(await isSignedIn(project, first));
  assert.deepEqual(ok(await ask({ id: first.id })), { ended: 2 });
  for (const user of [first, second]) assert.equal(await isSignedIn(project, user), false);
  assert.deepEqual(ok(await ask({ id: first.id })), { ended: 0 });
  assert.ok(await isSignedIn(project, await signIn(app, project, first.id)));
  await side.admits("admin", { id: first.id });
};

export const userScripts: Readonly<Record<string, Script>> = {
  createProjectUser: create,
  listProjectUsers: list,
  getProjectUser: get,
  patchProjectUser: patch,
  deleteProjectUser: remove,
  endProjectUserSessions: endSessions,
};
