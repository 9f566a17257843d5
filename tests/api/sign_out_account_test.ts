import assert from "node:assert/strict";
import { openAccount, signInAgain } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const SIGN_OUT = { method: "POST", path: "/api/auth/logout" };
const CLEARED = ["corbel_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"];

Deno.test("signOutAccount ends this session and no other, and removes the cookie", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const elsewhere = await signInAgain(account);
  const answer = await account.send(SIGN_OUT);
  assert.deepEqual(ok(answer), {});
  assert.deepEqual(answer.headers.getSetCookie(), CLEARED);
  refused(await account.send({ path: "/api/auth/me" }), 401, "SIGN_IN_REQUIRED");
  ok(await elsewhere.send({ path: "/api/auth/me" }));
});

Deno.test("without a valid session the response is the same", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  ok(await account.send(SIGN_OUT));
  for (const cookie of ["", account.cookie, "corbel_session=nonsense"]) {
    const answer = await app.send({ ...SIGN_OUT, headers: { cookie } });
    assert.deepEqual(ok(answer), {});
    assert.deepEqual(answer.headers.getSetCookie(), CLEARED);
  }
});

Deno.test("a body that is not JSON is 415 and ends no session", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  for (const type of types) {
    const answer = await account.send({
      ...SIGN_OUT,
      body: "a=b",
      headers: { "content-type": type },
    });
    refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
  }
  const untyped = { "content-type": "none", "content-length": "3" };
  refused(
    await account.send({ ...SIGN_OUT, body: new TextEncoder().encode("a=b"), headers: untyped }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
  );
  ok(await account.send({ path: "/api/auth/me" }));
  ok(await account.send({ ...SIGN_OUT, body: {} }));
});
