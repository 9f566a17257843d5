import assert from "node:assert/strict";
import { admin, runAdmin, type Server, startServer } from "./server.ts";

const RING = `first:${btoa("0123456789abcdef0123456789abcdef")}`;

/** Secrets of owners and operators, which must not appear in any output. */
const PLANTED = {
  password: "planted wet stones 41",
  nextPassword: "planted dry leaves 52",
  wrongPassword: "planted wrong guess 63",
  commonPassword: "Password!2024",
  commandPassword: "planted command line 74",
  clientSecret: "planted-client-secret-5f2a",
  aiKey: "gsk_plantedAccountKey6b3c",
  projectAiKey: "gsk_plantedProjectKey7d4e",
  badAiKey: "planted-no-ai-key-8e5f",
  accessKeyId: "PLANTEDACCESSKEY90",
  secretAccessKey: "planted/secret/access/key/90",
  ring: RING.split(":")[1]!,
};

const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ "": secret }).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  btoa(secret).replace(/=+$/, ""),
];

function openClient({ url, http }: Server) {
  const answers: string[] = [];
  let cookie = "";
  // deno-lint-ignore no-explicit-any -- Every operation answers another shape.
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${url}/api${path}`, {
      client: http,
      method,
      headers: { cookie, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const head = [...response.headers].map((pair) => pair.join(": ")).join("\n");
    answers.push(`${method} ${path} ${response.status}\n${head}\n${text}`);
    const set = response.headers.getSetCookie().find((one) => /^corbel_session=./.test(one));
    if (set !== undefined) cookie = set.split(";")[0]!;
    return { status: response.status, data: JSON.parse(text).data };
  }
  return { answers, call, session: () => cookie.split("=")[1]! };
}

Deno.test("no response, log line or message contains a secret that was sent", async () => {
  const settings = { LOG_LEVEL: "debug", SECRET_KEYS: RING, RATE_LIMITS: "off" };
  await using server = await startServer({ settings });
  const { answers, call, session } = openClient(server);
  const email = "planted@example.com";
  const { password, nextPassword, wrongPassword, commonPassword } = PLANTED;
  const statuses: number[] = [];
  const sendAsOwner = async (...words: Parameters<typeof call>) => {
    const answer = await call(...words);
    statuses.push(answer.status);
    return answer;
  };

  await sendAsOwner("POST", "/auth/register", { email, password: commonPassword });
  await sendAsOwner("POST", "/auth/register", { email, password, name: password.repeat(20) });
  await sendAsOwner("POST", "/auth/register", { email, password });
  await sendAsOwner("POST", "/auth/register", { email, password });
  await sendAsOwner("POST", "/auth/login", { email, password: wrongPassword });
  await sendAsOwner("POST", "/auth/login", { email, password, [wrongPassword]: 1 });
  await sendAsOwner("POST", "/auth/login", `{"email":"${email}","password":"${wrongPassword}`);
  await sendAsOwner("POST", "/auth/login", { email: wrongPassword, password: wrongPassword });
  await sendAsOwner("POST", "/auth/login", { email, password });
  const change = "/auth/change-password";
  await sendAsOwner("POST", change, { currentPassword: wrongPassword, newPassword: nextPassword });
  await sendAsOwner("POST", change, { currentPassword: password, newPassword: commonPassword });
  await sendAsOwner("POST", change, { currentPassword: password, newPassword: nextPassword });
  assert.deepEqual(statuses.splice(0), [
    ...[400, 400, 201, 409],
    ...[401, 400, 400, 401, 200],
    ...[403, 400, 200],
  ]);

  const words = ["account", "plan", "--email", email, "--plan", "pro"];
  await admin(words, server.settings);
  const { data: { projectId, publishableKey, secretKey } } = await sendAsOwner(
    "POST",
    "/projects",
    {
      name: "Planted",
      siteUrl: "https://app.example.com",
    },
  );
  const project = `/projects/${projectId}`;
  const { clientSecret, aiKey, projectAiKey, badAiKey, accessKeyId, secretAccessKey } = PLANTED;
  await sendAsOwner("PUT", `${project}/providers/github`, {
    enabled: true,
    clientId: "x",
    clientSecret,
  });
  await sendAsOwner("PUT", `${project}/providers/github`, {
    enabled: 1,
    clientId: "x",
    clientSecret,
  });
  await sendAsOwner("PUT", "/user/me/byok", { aiKey });
  await sendAsOwner("PUT", "/user/me/byok", { aiKey: badAiKey });
  await sendAsOwner("PUT", `${project}/byok`, { aiKey: projectAiKey });
  await sendAsOwner("PUT", `${project}/storage`, {
    endpoint: "nowhere",
    region: "x",
    bucket: "B",
    accessKeyId,
    secretAccessKey,
  });
  await sendAsOwner("DELETE", "/auth/account", { password: wrongPassword });
  const invited = { email: "invited@example.com", role: "viewer" };
  const { data: { token } } = await sendAsOwner("POST", `${project}/members`, invited);
  for (const verb of ["preview", "accept", "decline"]) {
    await sendAsOwner("POST", `/invitations/${verb}`, { token });
  }
  await (await fetch(`${server.url}/dashboard/invitations/${token}`, { client: server.http }))
    .text();
  const asked = { name: "Planted", access: "write", projects: [projectId] };
  const { data: { token: accountToken } } = await sendAsOwner("POST", "/auth/tokens", asked);
  for (const text of [accountToken, `${accountToken}x`]) {
    for (const path of ["/auth/me", "/auth/tokens", project, `/projects/${"0".repeat(24)}`]) {
      const headers = { authorization: `Bearer ${text}` };
      const answer = await fetch(`${server.url}/api${path}`, { headers, client: server.http });
      answers.push(await answer.text());
    }
  }
  const ofAccount = ["/auth/me", "/user/me", "/auth/sessions", "/auth/tokens"];
  for (const path of [...ofAccount, "/projects", project]) await sendAsOwner("GET", path);
  for (const part of ["providers", "members", "collections", "users", "files", "storage"]) {
    await sendAsOwner("GET", `${project}/${part}`);
  }
  assert.deepEqual(statuses.slice(0, 8), [201, 200, 400, 200, 400, 200, 400, 403], answers.at(-1));

  const commands = [
    await runAdmin(
      ["account", "create", "--email", email],
      server.settings,
      `${PLANTED.commandPassword}\n`,
    ),
    await runAdmin(
      ["account", "create", "--email", "b@example.com"],
      server.settings,
      `${commonPassword}\n`,
    ),
    await runAdmin(
      ["account", "password", "--email", email],
      server.settings,
      `${PLANTED.commandPassword}\n`,
    ),
  ];
  const { stdout, stderr } = await server.stop();
  const said = [
    ...commands.map((one) => one.stdout + one.stderr),
    stdout,
    stderr,
    ...answers,
  ];
  assert.ok(said.length > 30 && stdout.includes('"operation":"changePassword"'));
  for (const [name, secret] of Object.entries(PLANTED)) {
    for (const spelling of spellings(secret)) {
      for (const text of said) assert.ok(!text.includes(spelling), `${name} in:\n${text}`);
    }
  }

  const returnedOnce = { secretKey, session: session(), token, accountToken };
  for (const [name, secret] of Object.entries(returnedOnce)) {
    assert.equal(answers.filter((text) => text.includes(secret)).length, 1, name);
    assert.ok(![stdout, stderr].some((text) => text.includes(secret)), name);
  }
  for (const text of [stdout, stderr]) {
    assert.ok(!text.includes(email), "the log contains no e-mail");
    assert.ok(!text.includes(publishableKey), "the log contains no key, not even a public one");
  }
});
