import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { MiB } from "./files.ts";
import { ok, refused, times } from "./test_collection.ts";
import { openTeam, patchCall } from "./team.ts";

Deno.test("patchProject changes what the body names and leaves the rest; null clears the Site URL", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = ok(await team.read());
  const changes = [
    { siteUrl: "https://blog.example.com" },
    { name: " New name " },
    { allowedOrigins: ["https://a.example"] },
    { siteUrl: null, allowedOrigins: [] },
  ];
  const expected = { ...before };
  for (const change of changes) {
    Object.assign(expected, change, change.name !== undefined && { name: "New name" });
    assert.deepEqual(ok(await team.owner.send(patchCall(team.path(), change))), expected);
    assert.deepEqual(ok(await team.read()), expected);
  }
});

Deno.test("changed origins apply to the publishable key immediately", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const call = (origin: string) => ({
    path: "/api/data/none",
    headers: { "x-api-key": team.publishableKey, origin },
  });
  refused(await app.send(call("https://b.example")), 404, "COLLECTION_NOT_FOUND");
  ok(await team.admin.send(patchCall(team.path(), { allowedOrigins: ["https://a.example"] })));
  refused(await app.send(call("https://b.example")), 403, "ORIGIN_NOT_ALLOWED");
  refused(await app.send(call("https://a.example")), 404, "COLLECTION_NOT_FOUND");
  ok(await team.admin.send(patchCall(team.path(), { siteUrl: "https://b.example/" })));
  refused(await app.send(call("https://b.example")), 404, "COLLECTION_NOT_FOUND");
});

Deno.test("auth settings are set one by one, leave the others, and apply immediately", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const expected = { ...ok(await team.read()).auth };
  const changes = [
    { anonymous: true },
    { signUp: "closed" },
    { password: false, emailCode: false },
    { requireVerifiedEmail: true, passwordLengthMin: 128 },
    { passwordLengthMin: 8 },
    {},
  ];
  for (const change of changes) {
    Object.assign(expected, change);
    const { auth } = ok(await team.admin.send(patchCall(team.path(), { auth: change })));
    assert.deepEqual(auth, expected);
    assert.deepEqual(ok(await team.read()).auth, expected);
  }
  const call = {
    method: "POST",
    path: "/api/userAuth/anonymous",
    headers: { "x-api-key": team.publishableKey },
  };
  refused(await app.send(call), 403, "SIGN_UP_CLOSED");
  ok(await team.admin.send(patchCall(team.path(), { auth: { signUp: "open" } })));
  ok(await app.send(call), 201);
});

Deno.test("invalid auth settings are 400, are named in the error, and change nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = (await team.read()).text;
  const wrong: [unknown, string][] = [
    [{ signUp: "invite" }, "auth.signUp"],
    [{ signUp: true }, "auth.signUp"],
    [{ password: "yes" }, "auth.password"],
    [{ emailCode: null }, "auth.emailCode"],
    [{ anonymous: 1 }, "auth.anonymous"],
    [{ requireVerifiedEmail: "true" }, "auth.requireVerifiedEmail"],
    [{ passwordLengthMin: 7 }, "8 to 128"],
    [{ passwordLengthMin: 129 }, "8 to 128"],
    [{ passwordLengthMin: 10.5 }, "8 to 128"],
    [{ signUp: "closed", roles: [] }, "signUp"],
    [[], '"auth"'],
    [null, '"auth"'],
  ];
  for (const [auth, says] of wrong) {
    const answer = await team.owner.send(patchCall(team.path(), { name: "New", auth }));
    refused(answer, 400, "INVALID_BODY", says);
  }
  const { path } = patchCall(team.path(), {});
  refused(await team.viewer.send(patchCall(path, { auth: {} })), 403, "ROLE_REQUIRED");
  assert.equal((await team.read()).text, before);
});

Deno.test("file settings are set one by one and leave the others", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const expected = { ...ok(await team.read()).files };
  assert.deepEqual(expected, {
    userUploads: "off",
    userFileBytesMax: 10 * MiB,
    userBytesMax: 100 * MiB,
    userTypes: ["image/*"],
  });
  const changes = [
    { userUploads: "signed-in" },
    { userFileBytesMax: 1, userBytesMax: Number.MAX_SAFE_INTEGER },
    { userFileBytesMax: 80_000 * MiB },
    { userTypes: ["*/*"] },
    { userTypes: times(50, (n) => `application/x-${n}`) },
    {},
  ];
  for (const change of changes) {
    Object.assign(expected, change);
    const { files } = ok(await team.admin.send(patchCall(team.path(), { files: change })));
    assert.deepEqual(files, expected);
    assert.deepEqual(ok(await team.read()).files, expected);
  }
});

Deno.test("invalid file settings are 400, are named in the error, and change nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = (await team.read()).text;
  const wrong: [unknown, string][] = [
    [{ userUploads: "on" }, "files.userUploads"],
    [{ userUploads: true }, "files.userUploads"],
    [{ userFileBytesMax: 0 }, "files.userFileBytesMax"],
    [{ userFileBytesMax: 80_000 * MiB + 1 }, String(80_000 * MiB)],
    [{ userBytesMax: 1.5 }, "files.userBytesMax"],
    [{ userBytesMax: "1" }, "files.userBytesMax"],
    ...[[], "image/*", ["image"], ["*/png"], ["image/"], [1], [`image/${"x".repeat(64)}`]]
      .map((userTypes): [unknown, string] => [{ userTypes }, "files.userTypes"]),
    [{ userTypes: times(51, (n) => `image/${n}`) }, "1 to 50 types"],
    [{ userUploads: "off", public: true }, "userUploads"],
    [[], '"files"'],
    [null, '"files"'],
  ];
  for (const [files, says] of wrong) {
    const answer = await team.owner.send(patchCall(team.path(), { name: "New", files }));
    refused(answer, 400, "INVALID_BODY", says);
  }
  const { path } = patchCall(team.path(), {});
  refused(await team.viewer.send(patchCall(path, { files: {} })), 403, "ROLE_REQUIRED");
  assert.equal((await team.read()).text, before);
});

Deno.test("invalid bodies and values are 400 and change nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const before = (await team.read()).text;
  for (const body of [{}, [], { name: null }, { siteUrl: 1 }, { name: "x", plan: "pro" }]) {
    refused(await team.owner.send(patchCall(team.path(), body)), 400, "INVALID_BODY");
  }
  const inputs = [
    { name: "" },
    { name: "New", siteUrl: "http://a.example" },
    { name: "New", siteUrl: "https://a.example/notes" },
    { name: "New", allowedOrigins: ["*"] },
    { name: "New", allowedOrigins: ["https://a.example/notes"] },
  ];
  for (const body of inputs) {
    refused(await team.owner.send(patchCall(team.path(), body)), 400, "INVALID_INPUT");
  }
  assert.equal((await team.read()).text, before);
});
