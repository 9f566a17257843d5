import assert from "node:assert/strict";
import { admin, adminEnd, type Server, startServer } from "./server.ts";

const RING = `first:${btoa("0123456789abcdef0123456789abcdef")}`;

/** What owners and operators say in confidence, none of which may come out again anywhere. */
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

/** Every way in which they could be written down. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ "": secret }).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  btoa(secret).replace(/=+$/, ""),
];

/** An owner's client, which keeps all that it is answered. */
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

Deno.test("nothing that is said in confidence comes out again: not in answers, logs or messages", async () => {
  const settings = { LOG_LEVEL: "debug", SECRET_KEYS: RING, RATE_LIMITS: "off" };
  await using server = await startServer({ settings });
  const { answers, call, session } = openClient(server);
  const email = "planted@example.com";
  const { password, nextPassword, wrongPassword, commonPassword } = PLANTED;
  const statuses: number[] = [];
  const say = async (...words: Parameters<typeof call>) => {
    const answer = await call(...words);
    statuses.push(answer.status);
    return answer;
  };

  await say("POST", "/auth/register", { email, password: commonPassword });
  await say("POST", "/auth/register", { email, password, name: password.repeat(20) });
  await say("POST", "/auth/register", { email, password });
  await say("POST", "/auth/register", { email, password });
  await say("POST", "/auth/login", { email, password: wrongPassword });
  await say("POST", "/auth/login", { email, password, [wrongPassword]: 1 });
  await say("POST", "/auth/login", `{"email":"${email}","password":"${wrongPassword}`);
  await say("POST", "/auth/login", { email: wrongPassword, password: wrongPassword });
  await say("POST", "/auth/login", { email, password });
  const change = "/auth/change-password";
  await say("POST", change, { currentPassword: wrongPassword, newPassword: nextPassword });
  await say("POST", change, { currentPassword: password, newPassword: commonPassword });
  await say("POST", change, { currentPassword: password, newPassword: nextPassword });
  assert.deepEqual(statuses.splice(0), [
    ...[400, 400, 201, 409],
    ...[401, 400, 400, 401, 200],
    ...[403, 400, 200],
  ]);

  const words = ["account", "plan", "--email", email, "--plan", "pro"];
  await admin(words, server.settings);
  const { data: { projectId, publishableKey, secretKey } } = await say("POST", "/projects", {
    name: "Planted",
    siteUrl: "https://app.example.com",
  });
  const project = `/projects/${projectId}`;
  const { clientSecret, aiKey, projectAiKey, badAiKey, accessKeyId, secretAccessKey } = PLANTED;
  await say("PUT", `${project}/providers/github`, { enabled: true, clientId: "x", clientSecret });
  await say("PUT", `${project}/providers/github`, { enabled: 1, clientId: "x", clientSecret });
  await say("PUT", "/user/me/byok", { aiKey });
  await say("PUT", "/user/me/byok", { aiKey: badAiKey });
  await say("PUT", `${project}/byok`, { aiKey: projectAiKey });
  await say("PUT", `${project}/storage`, {
    endpoint: "nowhere",
    region: "x",
    bucket: "B",
    accessKeyId,
    secretAccessKey,
  });
  await say("DELETE", "/auth/account", { password: wrongPassword });
  const invited = { email: "invited@example.com", role: "viewer" };
  const { data: { token } } = await say("POST", `${project}/members`, invited);
  for (const verb of ["preview", "accept", "decline"]) {
    await say("POST", `/invitations/${verb}`, { token });
  }
  await (await fetch(`${server.url}/dashboard/invitations/${token}`, { client: server.http }))
    .text();
  const asked = { name: "Planted", access: "write", projects: [projectId] };
  const { data: { token: accountToken } } = await say("POST", "/auth/tokens", asked);
  for (const text of [accountToken, `${accountToken}x`]) {
    for (const path of ["/auth/me", "/auth/tokens", project, `/projects/${"0".repeat(24)}`]) {
      const headers = { authorization: `Bearer ${text}` };
      const answer = await fetch(`${server.url}/api${path}`, { headers, client: server.http });
      answers.push(await answer.text());
    }
  }
  const ofAccount = ["/auth/me", "/user/me", "/auth/sessions", "/auth/tokens"];
  for (const path of [...ofAccount, "/projects", project]) await say("GET", path);
  for (const part of ["providers", "members", "collections", "users", "files", "storage"]) {
    await say("GET", `${project}/${part}`);
  }
  assert.deepEqual(statuses.slice(0, 8), [201, 200, 400, 200, 400, 200, 400, 403], answers.at(-1));

  const commands = [
    await adminEnd(
      ["account", "create", "--email", email],
      server.settings,
      `${PLANTED.commandPassword}\n`,
    ),
    await adminEnd(
      ["account", "create", "--email", "b@example.com"],
      server.settings,
      `${commonPassword}\n`,
    ),
    await adminEnd(
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

  /** These are told once, to whom they are for, and to nobody else. */
  const toldOnce = { secretKey, session: session(), token, accountToken };
  for (const [name, secret] of Object.entries(toldOnce)) {
    assert.equal(answers.filter((text) => text.includes(secret)).length, 1, name);
    assert.ok(![stdout, stderr].some((text) => text.includes(secret)), name);
  }
  for (const text of [stdout, stderr]) {
    assert.ok(!text.includes(email), "no e-mail in the log");
    assert.ok(!text.includes(publishableKey), "no key in the log, though this one is public");
  }
});
