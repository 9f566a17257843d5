import assert from "node:assert/strict";
import { type Log, silentLog } from "@/lib/runtime/log.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import {
  ADA,
  enterWrongCodes,
  MINUTE_MS,
  requestCode,
  userCall,
  wrongCode,
} from "../api/user_email.ts";
import type { Call } from "../support/conforming_client.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";

/** Attacks that guess a few codes of each of many users. */

const HOUR_MS = 60 * MINUTE_MS;

const guess = (email: string, otp = "123456"): Call => userCall("code/verify", { email, otp });

Deno.test("guessing: all users of a project share an hourly limit of wrong codes", async () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, write: (_level, message) => void lines.push(message) };
  await using app = await openTestApp({ log });
  const project = await app.project();
  const { projectId } = project;
  const owner = await project.owner();
  const otp = await requestCode(app, project, "code/request", ADA);
  await enterWrongCodes(app, projectId, 10);
  const guesses = await Promise.all(
    times(50, (i) => project.asPublic(guess(`user${i}@example.com`))),
  );
  assert.deepEqual(tally(guesses), { 400: 10, 429: 40 });
  // The response does not reveal a match, and the code keeps its attempts.
  const right = await project.asPublic(guess(ADA, otp));
  refused(right, 429, "SIGN_IN_LOCKED");
  assert.ok(Number(right.headers.get("retry-after")) <= HOUR_MS / 1000);
  const notices = (await mailsOf(app.services, "control"))
    .filter(({ kind }) => kind === "limitReached");
  assert.deepEqual(notices.map(({ to }) => to), [owner.email]);
  assert.equal(lines.filter((line) => line === "A project has reached a limit").length, 1);
  const other = await app.project();
  refused(await other.asPublic(guess(ADA)), 400, "INVALID_CODE");
  app.clock.advance(HOUR_MS);
  refused(await project.asPublic(guess(ADA)), 400, "INVALID_CODE");
});

Deno.test("guessing: right codes do not count, and a code outlives a locked hour", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await enterWrongCodes(app, project.projectId, 1);
  for (let i = 0; i < 3; i++) {
    const email = `user${i}@example.com`;
    const otp = await requestCode(app, project, "code/request", email);
    ok(await project.asPublic(guess(email, otp)));
  }
  const otp = await requestCode(app, project, "code/request", ADA);
  refused(await project.asPublic(guess(ADA, wrongCode(otp))), 400, "INVALID_CODE");
  for (let i = 0; i < 6; i++) {
    refused(await project.asPublic(guess(ADA, "000000")), 429, "SIGN_IN_LOCKED");
  }
});
