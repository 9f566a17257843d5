import assert from "node:assert/strict";
import { AUTH_DEFAULTS } from "../projects/auth_settings.ts";
import { FILE_DEFAULTS } from "../projects/file_settings.ts";
import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
import { authenticateKey, callerOf } from "./authenticate.ts";
import { explainRefusedKey } from "./refused_credentials.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const SESSION = "cccccccccccccccccccccccc";

const holder = (kind: ApiKeyPrincipal["kind"]): ApiKeyPrincipal => ({
  kind,
  projectId: PROJECT,
  siteUrl: null,
  allowedOrigins: [],
  auth: AUTH_DEFAULTS,
  files: FILE_DEFAULTS,
  recordsUntil: null,
});

/** Services with one valid key and one valid token, which record the lookups. */
function services() {
  const asked: string[] = [];
  return {
    asked,
    keys: {
      find: (key: string) => {
        asked.push(key);
        return Promise.resolve(key === "good-key" ? holder("publishable") : null);
      },
      forget() {},
    },
    tokens: {
      verify: (projectId: string, token: string) => {
        asked.push(`${projectId} ${token}`);
        const good = projectId === PROJECT && token === "aaa.bbb-_.ccc";
        return Promise.resolve(good ? { userId: USER, sessionId: SESSION } : null);
      },
      explainRefusal: () => "It is not the good one.",
      issue: () => Promise.reject(new Error("Nothing is issued here")),
    },
  };
}

const none = { apiKey: null, authorization: null };

Deno.test("authenticateKey returns the principal of a valid key", async () => {
  assert.deepEqual(
    await authenticateKey(services(), { ...none, apiKey: "good-key" }),
    holder("publishable"),
  );
});

Deno.test("authenticateKey throws API_KEY_INVALID for missing, malformed and unknown keys", async () => {
  for (const apiKey of [null, "", "other-key", `pk_live_${"a".repeat(43)}`]) {
    await assert.rejects(
      async () => await authenticateKey(services(), { ...none, apiKey }),
      { code: "API_KEY_INVALID", status: 401, message: explainRefusedKey({ ...none, apiKey }) },
    );
  }
});

Deno.test("callerOf ignores the Authorization header with a secret key", async () => {
  const recorded = services();
  for (const authorization of [null, "Bearer aaa.bbb-_.ccc", "Bearer forged", "nonsense"]) {
    const caller = await callerOf(recorded, holder("secret"), { ...none, authorization });
    assert.deepEqual(caller, { kind: "secret", projectId: PROJECT });
  }
  assert.deepEqual(recorded.asked, []);
});

Deno.test("callerOf returns no user for a publishable key without a token", async () => {
  const caller = await callerOf(services(), holder("publishable"), none);
  assert.deepEqual(caller, { kind: "publishable", projectId: PROJECT, userId: null });
});

Deno.test("callerOf returns the user of a bearer token, regardless of the scheme's case", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const authorization = `${scheme} aaa.bbb-_.ccc`;
    const caller = await callerOf(services(), holder("publishable"), { ...none, authorization });
    assert.deepEqual(caller, { kind: "publishable", projectId: PROJECT, userId: USER });
  }
});

Deno.test("callerOf refuses an invalid bearer token", async () => {
  const wrong = [
    "",
    "Bearer",
    "Bearer ",
    "aaa.bbb-_.ccc",
    "Basic aaa.bbb-_.ccc",
    "Bearer aaa.bbb-_.ddd",
    "Bearer aaa.bbb-_",
    "Bearer aaa.bbb-_.",
    "Bearer aaa.bbb-_.ccc.ddd",
    "Bearer aaa.bbb-_.ccc, Bearer aaa.bbb-_.ccc",
    "Bearer aaa.bbb-_.ccc ",
    "Bearer aaa.bbb-_.c=c",
  ];
  for (const authorization of wrong) {
    await assert.rejects(
      async () => await callerOf(services(), holder("publishable"), { ...none, authorization }),
      { code: "ACCESS_TOKEN_INVALID", status: 401 },
      authorization,
    );
  }
});
