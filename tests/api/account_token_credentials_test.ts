import assert from "node:assert/strict";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ACCOUNT_TOKENS } from "@/lib/accounts/token_records.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import published from "@/openapi/openapi.json" with { type: "json" };
import { API_KEYS } from "@/lib/projects/api_keys.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { MEMBERS } from "@/lib/projects/members.ts";
import { PROJECTS } from "@/lib/projects/records.ts";
import type { Call } from "../support/conforming_client.ts";
import { createOwnedProject, createToken, openAccount } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { assertUnchanged } from "../support/assert_unchanged.ts";
import {
  inProject,
  type Sample,
  sampleCalls,
  takesAccountToken,
  takesKey,
  takesSession,
} from "./sample_calls.ts";
import { refused, UNKNOWN_ID } from "./test_collection.ts";
import { openTeam, type Team } from "./team.ts";

/** Samples of every operation that accepts an account token, including operations added later. */
const SAMPLES = sampleCalls().filter(takesAccountToken);
const OF_PROJECTS = SAMPLES.filter(({ template }) =>
  template.startsWith("/api/projects/{projectId}")
);
const OF_SESSIONS = sampleCalls().filter((one) => takesSession(one) && !takesAccountToken(one));

const isRead = ({ call }: Sample): boolean => call.method === "GET";

/** Problem codes with which a token may be refused. */
const REFUSALS = [
  "SIGN_IN_REQUIRED",
  "ACCOUNT_TOKEN_INVALID",
  "TOKEN_SCOPE_EXCEEDED",
  "SESSION_REQUIRED",
  "CROSS_SITE_REQUEST",
  "API_KEY_INVALID",
];

const CONTROL_KINDS = [
  ACCOUNTS,
  ACCOUNT_SESSIONS,
  ACCOUNT_TOKENS,
  API_KEYS,
  INVITATIONS,
  MEMBERS,
  PROJECTS,
];

const untouched = ({ services }: TestApp, work: () => Promise<void>): Promise<void> =>
  assertUnchanged(services, { space: "control", kinds: CONTROL_KINDS }, work);

/** Declares a test with a step for each operation, on one team. Every request must be refused. */
function testEach(
  name: string,
  samples: readonly Sample[],
  prepare: (app: TestApp, team: Team) => Promise<(sample: Sample, call: Call) => Promise<void>>,
): void {
  Deno.test(name, async (t) => {
    await using app = await openTestApp();
    const team = await openTeam(app);
    const check = await prepare(app, team);
    assert.ok(samples.length > 0);
    await untouched(app, async () => {
      for (const sample of samples) {
        const call = inProject(sample.call, team.projectId);
        await t.step(sample.operationId, () => check(sample, call));
      }
    });
  });
}

const withBadBody = (call: Call): Call =>
  call.body === undefined ? call : { ...call, body: '{"broken":' };

Deno.test("account tokens are accepted for projects and refused for managing the account", () => {
  const idsOf = (samples: readonly Sample[]) => samples.map(({ operationId }) => operationId);
  const beyond = SAMPLES.filter((sample) => !OF_PROJECTS.includes(sample));
  assert.deepEqual(
    idsOf(beyond).toSorted(),
    ["createProject", "getAccount", "getAiUsage", "getUserAccount", "listProjects"],
  );
  assert.deepEqual(idsOf(OF_SESSIONS).toSorted(), [
    "acceptInvitation",
    "changeAccountEmail",
    "changePassword",
    "confirmAccountEmail",
    "createAccountToken",
    "declineInvitation",
    "deleteAccount",
    "deleteAccountToken",
    "endAccountSession",
    "listAccountSessions",
    "listAccountTokens",
    "patchAccount",
    "previewInvitation",
    "setAccountAiKey",
  ]);
});

/** Members of responses that are named like secrets but contain none. */
const NOT_SECRET = [
  "code", // The code of a problem.
  "emailCode", // Whether users sign in with a code by mail.
  "formerSecretUntil",
  "hasAiKey",
  "hasClientSecret",
  "hasCode",
  "hasKeys",
  "hasPassword",
  "key", // The name of a field.
  "password", // Whether users have a password.
  "passwordLengthMin",
  "publishableKey", // A public key.
];

Deno.test("no response to a read-only token contains a secret", () => {
  const { paths } = published as unknown as {
    paths: Record<string, { get: { responses: { 200: { content: object } } } }>;
  };
  const names = new Set(
    SAMPLES.filter(isRead)
      .flatMap(({ template }) => membersIn(paths[template]!.get.responses[200].content)),
  );
  assert.ok(names.has("publicUrl") && names.size > 100);
  const secret = /secret|password|token|key|code$/i;
  assert.deepEqual([...names].filter((name) => secret.test(name)).toSorted(), NOT_SECRET);
});

/** Returns the names of members at any depth of a schema. */
function membersIn(schema: unknown, above: readonly string[] = []): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    if (name !== "$ref") {
      return [...(name === "properties" ? Object.keys(value) : []), ...membersIn(value, above)];
    }
    const component = value.split("/").at(-1)! as keyof typeof published.components.schemas;
    if (above.includes(component)) return [];
    return membersIn(published.components.schemas[component], [...above, component]);
  });
}

testEach(
  "every invalid token gets one identical 401, even next to a session",
  SAMPLES,
  async (app, team) => {
    const { token } = await createToken(team.owner);
    const deleted = await createToken(team.owner);
    await team.owner.send({ method: "DELETE", path: `/api/auth/tokens/${deleted.id}` });
    const expired = await createToken(team.owner, { expiresInDays: 1 });
    app.clock.advance(86_400_001);
    const bad = {
      "a prefix alone": "corbel_pat_",
      "too short": token.slice(0, -1),
      "too long": `${token}x`,
      "two tokens": `${token} ${token}`,
      "another last letter": token.slice(0, -1) + (token.endsWith("A") ? "B" : "A"),
      "a pattern": `corbel_pat_${"%".repeat(43)}`,
      "deleted": deleted.token,
      "expired": expired.token,
    };
    const texts = new Set<string>();
    return async (_sample, call) => {
      for (const [kind, text] of Object.entries(bad)) {
        for (const one of [call, withBadBody(call)]) {
          for (const cookies of [{}, { cookie: team.owner.cookie }]) {
            const authorization = `Bearer ${text}`;
            const answer = await app.send({ ...one, headers: { authorization, ...cookies } });
            assert.equal(answer.status, 401, `${kind}: ${answer.text}`);
            refused(answer, 401, "ACCOUNT_TOKEN_INVALID");
            texts.add(answer.text);
          }
        }
      }
      assert.equal(texts.size, 1, "one message for every invalid token");
    };
  },
);

testEach(
  "a bearer value of another kind does not count as an account token",
  SAMPLES,
  async (app, team) => {
    const { token } = await createToken(team.owner);
    const others = [
      "",
      "word",
      token.slice("corbel_pat_".length),
      token.toUpperCase(),
      ` ${token}`,
      token.replace("corbel", "carbel"),
      team.owner.cookie.split("=")[1]!,
      team.secretKey,
      (await (await app.project()).user()).token,
    ];
    return async (sample, call) => {
      const code = takesKey(sample) ? "API_KEY_INVALID" : "SIGN_IN_REQUIRED";
      for (const text of others) {
        const headers = { authorization: `Bearer ${text}` };
        refused(await app.send({ ...call, headers }), 401, code);
      }
      refused(await app.send({ ...call, headers: { authorization: token } }), 401, code);
    };
  },
);

testEach(
  "a read-only token cannot write, even with a malformed body",
  SAMPLES.filter((sample) => !isRead(sample)),
  async (_app, { owner }) => {
    const token = await createToken(owner, { access: "read" });
    await token.send({ path: "/api/auth/me" });
    return async (_sample, call) => {
      for (const one of [call, withBadBody(call)]) {
        refused(await token.send(one), 403, "TOKEN_SCOPE_EXCEEDED", "may only read");
      }
    };
  },
);

testEach(
  "a token for another project is refused with 403",
  OF_PROJECTS,
  async (_app, { owner }) => {
    const { projectId } = await createOwnedProject(owner);
    const token = await createToken(owner, { projects: [projectId] });
    await token.send({ path: "/api/auth/me" });
    return async (_sample, call) =>
      refused(await token.send(call), 403, "TOKEN_SCOPE_EXCEEDED", "not for this project");
  },
);

testEach(
  "a token gets one identical 404 for existing and unknown projects of other accounts",
  OF_PROJECTS,
  async (_app, { stranger }) => {
    const { projectId } = await createOwnedProject(stranger);
    const tokens = [
      await createToken(stranger),
      await createToken(stranger, { access: "read" }),
      await createToken(stranger, { projects: [projectId] }),
    ];
    for (const token of tokens) await token.send({ path: "/api/auth/me" });
    const texts = new Set<string>();
    return async (sample, call) => {
      for (const token of tokens) {
        for (const one of [call, inProject(sample.call, UNKNOWN_ID)]) {
          const answer = await token.send(one);
          refused(answer, 404, "PROJECT_NOT_FOUND");
          texts.add(answer.text);
        }
      }
      assert.equal(texts.size, 1);
    };
  },
);

testEach("no token manages its account, even next to a session", OF_SESSIONS, async (app, team) => {
  const { owner } = team;
  const token = await createToken(owner);
  await token.send({ path: "/api/auth/me" });
  return async (_sample, call) => {
    for (const one of [call, withBadBody(call)]) {
      for (const headers of [{}, { cookie: owner.cookie }]) {
        refused(await token.send({ ...one, headers }), 403, "SESSION_REQUIRED");
      }
    }
    for (const text of ["corbel_pat_", `${token.token}x`]) {
      const headers = { cookie: owner.cookie, authorization: `Bearer ${text}` };
      refused(await app.send({ ...call, headers }), 401, "ACCOUNT_TOKEN_INVALID");
    }
  };
});

testEach("a token has no more rights than its account's role", OF_PROJECTS, async (_app, team) => {
  const token = await createToken(team.viewer);
  await token.send({ path: "/api/auth/me" });
  return async ({ codes }, call) => {
    if (!codes.includes("ROLE_REQUIRED")) return;
    refused(await token.send(call), 403, "ROLE_REQUIRED");
  };
});

for (const sample of SAMPLES) {
  Deno.test(`${sample.operationId}: a token within its scope is accepted from any site`, async () => {
    await using app = await openTestApp();
    const { owner, projectId } = await openTeam(app);
    const scopes = [
      ...(isRead(sample) ? [{ access: "read" } as const] : []),
      ...(sample.operationId === "createProject" ? [] : [{ projects: [projectId] }]),
      ...(sample.operationId === "deleteProject" ? [] : [{}]),
    ];
    for (const scope of scopes) {
      const token = await createToken(owner, scope);
      const call = inProject(sample.call, projectId);
      const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      const answer = await token.send({ ...call, headers });
      assert.ok(!REFUSALS.includes(answer.body?.code), answer.text);
    }
  });
}

Deno.test("the session counts if the authorization header has no account token", async () => {
  await using app = await openTestApp();
  const { cookie } = await openAccount(app);
  for (const authorization of ["Basic YTpi", "", "Digest x", "Bearer x", "Bearer"]) {
    const answer = await app.send({ path: "/api/auth/me", headers: { cookie, authorization } });
    assert.equal(answer.status, 200, answer.text);
  }
});

Deno.test("the token counts if a request has a token and a session of another account", async () => {
  await using app = await openTestApp();
  const [ann, bob] = [await openAccount(app), await openAccount(app)];
  const token = await createToken(ann);
  const answer = await token.send({ path: "/api/auth/me", headers: { cookie: bob.cookie } });
  assert.equal(answer.body.data.accountId, ann.accountId);
});

Deno.test("invalid tokens are limited per network and do not block valid ones", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on" } });
  const account = await openAccount(app);
  const token = await createToken(account);
  const headers = { authorization: `Bearer corbel_pat_${"A".repeat(43)}` };
  const ask = (peer: string) => app.send({ path: "/api/projects", headers, peer });
  for (let n = 0; n < 20; n++) refused(await ask("203.0.113.7"), 401, "ACCOUNT_TOKEN_INVALID");
  const limited = await ask("203.0.113.7");
  refused(limited, 429, "RATE_LIMITED");
  assert.match(limited.headers.get("retry-after")!, /^[1-9]\d?$/);
  refused(await ask("203.0.113.8"), 401, "ACCOUNT_TOKEN_INVALID");
  const good = await token.send({ path: "/api/projects", peer: "203.0.113.7" });
  assert.equal(good.status, 200, good.text);
  const { email, password } = account;
  const signIn = { path: "/api/auth/login", body: { email, password }, peer: "203.0.113.7" };
  assert.equal((await app.send(signIn)).status, 200, "sign-ins are counted separately");
});
