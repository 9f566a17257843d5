import assert from "node:assert/strict";
import { createLog } from "../runtime/log.ts";
import { SignInFailed } from "./failures.ts";
import { failureAddress, returnAddress, type ReturnTarget } from "./return_address.ts";

const WAY: ReturnTarget = {
  projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
  siteUrl: "https://app.example",
  provider: "some",
  returnTo: null,
  applicationState: null,
  trialUrl: null,
};

Deno.test("returnAddress always leads to the callback page of the site", () => {
  const address = returnAddress(
    { ...WAY, returnTo: "//evil.example/#x", applicationState: "&error=1#y" },
    { rtCode: "a&b=c" },
    "token=t",
  );
  const url = new URL(address);
  assert.equal(
    `${url.origin}${url.pathname}${url.hash}`,
    "https://app.example/auth/callback#token=t",
  );
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    rtCode: "a&b=c",
    return_to: "//evil.example/#x",
    state: "&error=1#y",
  });
});

Deno.test("returnAddress leads to the dashboard for a trial", () => {
  const trialUrl = "https://api.example/tried";
  assert.equal(returnAddress({ ...WAY, trialUrl }, { error: "no" }), `${trialUrl}?error=no`);
});

Deno.test("returnAddress leaves out parameters that are null", () => {
  assert.equal(returnAddress(WAY, { error: "no" }), "https://app.example/auth/callback?error=no");
});

function logged(error: unknown): { location: string; lines: Record<string, unknown>[] } {
  let text = "";
  using log = createLog("info", (more) => void (text += more));
  const location = failureAddress({ log }, WAY, error);
  log.flush();
  return { location, lines: text.trim().split("\n").map((line) => JSON.parse(line)) };
}

Deno.test("failureAddress shows the message of a known failure and logs its reason", () => {
  const { location, lines } = logged(new SignInFailed("unavailable", "status 503"));
  const { searchParams } = new URL(location);
  assert.equal(searchParams.get("error"), "The provider did not answer as expected");
  assert.equal(searchParams.get("provider"), "some");
  assert.equal(lines.length, 1);
  const { level, project, provider, reason, detail } = lines[0]!;
  assert.deepEqual([level, project, provider, reason, detail], [
    "warn",
    WAY.projectId,
    "some",
    "unavailable",
    "status 503",
  ]);
});

Deno.test("failureAddress logs a cancelled sign-in without a warning", () => {
  assert.equal(logged(new SignInFailed("cancelled", "access_denied")).lines[0]!.level, "info");
});

Deno.test("failureAddress logs an unexpected error without showing it", () => {
  const { location, lines } = logged(new TypeError("secret detail"));
  assert.equal(new URL(location).searchParams.get("error"), "Sign-in failed, try again");
  assert.equal(location.includes("detail"), false);
  assert.equal(lines[0]!.level, "error");
  assert.match(String(lines[0]!.error), /secret detail/);
});
