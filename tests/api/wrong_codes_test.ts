import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";
import { ADA, enterWrongCodes, NEXT_PASSWORD, signUp, userCall } from "./user_email.ts";

const isLocked = ({ status, body, headers }: Answer): boolean =>
  status === 429 && body.code === "SIGN_IN_LOCKED" && Number(headers.get("retry-after")) > 0;

Deno.test("wrong codes: each operation that takes a user's code is locked", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await enterWrongCodes(app, project.projectId, 0);
  const entered = { email: ADA, otp: "123456" };
  const calls: readonly Call[] = [
    userCall("verify-email", entered),
    userCall("reset-password", { ...entered, newPassword: NEXT_PASSWORD }),
    userCall("code/verify", entered),
    userCall("confirm-email-change", { otp: "123456" }),
  ];
  for (const call of calls) assert.ok(isLocked(await project.asPublic(call, user)), call.path);
});

Deno.test("wrong codes: the deployment's accounts have their own limit", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const account = await openAccount(app);
  await enterWrongCodes(app, "control", 0);
  const entered = { email: account.email, otp: "123456" };
  const calls: readonly Call[] = [
    { path: "/api/auth/verify-email", body: entered },
    { path: "/api/auth/reset-password", body: { ...entered, newPassword: NEXT_PASSWORD } },
    { path: "/api/auth/confirm-email-change", body: { otp: "123456" } },
  ];
  for (const call of calls) {
    assert.ok(isLocked(await account.send({ method: "POST", ...call })), call.path);
  }
  refused(await project.asPublic(userCall("code/verify", entered)), 400, "INVALID_CODE");
});
