import assert from "node:assert/strict";
import { createLog } from "../runtime/log.ts";
import { SignInFailed } from "./failures.ts";
import { failedReturn, returnAddress, type WayBack } from "./return.ts";

const WAY: WayBack = {
  projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
  siteUrl: "https://app.example",
  provider: "some",
  returnTo: null,
  applicationState: null,
  trialUrl: null,
};

Deno.test("the way back has one address, whatever comes with it", () => {
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

Deno.test("a trial ends on our own page and nowhere else", () => {
  const trialUrl = "https://api.example/tried";
  assert.equal(returnAddress({ ...WAY, trialUrl }, { error: "no" }), `${trialUrl}?error=no`);
});

Deno.test("what was not given does not come back", () => {
  assert.equal(returnAddress(WAY, { error: "no" }), "https://app.example/auth/callback?error=no");
});

function logged(error: unknown): { location: string; lines: Record<string, unknown>[] } {
  let text = "";
  using log = createLog("info", (more) => void (text += more));
  const location = failedReturn({ log }, WAY, error);
  log.flush();
  return { location, lines: text.trim().split("\n").map((line) => JSON.parse(line)) };
}

Deno.test("a known failure is told to the page in short, and to the log by its reason", () => {
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

Deno.test("a cancelled sign-in is no warning", () => {
  assert.equal(logged(new SignInFailed("cancelled", "access_denied")).lines[0]!.level, "info");
});

Deno.test("what nobody expected is in the log, and the page learns nothing of it", () => {
  const { location, lines } = logged(new TypeError("secret detail"));
  assert.equal(new URL(location).searchParams.get("error"), "Sign-in failed, try again");
  assert.equal(location.includes("detail"), false);
  assert.equal(lines[0]!.level, "error");
  assert.match(String(lines[0]!.error), /secret detail/);
});
