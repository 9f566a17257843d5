import assert from "node:assert/strict";
import { type Call, createCollection, createProject, createUser, send, THINGS } from "./project.ts";
import { exchange } from "./raw.ts";
import { admin, runAdmin, startServer } from "./server.ts";

const SECRETS = `key1:${btoa("0123456789abcdef0123456789abcdef")}`;
const NOTES = { name: "notes", fields: [{ key: "text", type: "String" }] };

/** A mark that clients send in every free text, and that must not appear in the log. */
const MARK = "confidential-7f3a";

for (const LOG_LEVEL of ["info", "debug"]) {
  Deno.test(`at level ${LOG_LEVEL} every log line is a JSON object without keys, tokens or texts`, async () => {
    await using server = await startServer({ settings: { LOG_LEVEL, SECRET_KEYS: SECRETS } });
    const { settings, port } = server;
    const project = await createProject(settings);
    const { publishableKey, secretKey } = project;
    for (const definition of [THINGS, NOTES]) await createCollection(settings, project, definition);
    const { token } = await createUser(settings, project);
    const things = "/api/data/things";
    const notes = "/api/data/notes";
    const type = "content-type: application/json";

    const inserted = await send(server, {
      path: things,
      key: secretKey,
      body: { text: MARK, code: MARK },
    });
    const one = `${things}/${inserted.body.data._id}`;
    const calls: [Call, number][] = [
      [{ path: things, key: secretKey, body: { code: MARK } }, 409],
      [{ path: things, key: secretKey, body: { n: MARK } }, 400],
      [{ path: things, key: secretKey, body: `{"text":"${MARK}` }, 400],
      [{ path: things, key: secretKey, body: { [`$${MARK}`]: 1 } }, 400],
      [{ path: `${things}/bulk`, key: secretKey, body: { documents: [{ text: MARK }] } }, 201],
      [{ path: `${things}?text=${MARK}`, key: secretKey }, 200],
      [{ path: `${things}?text_regex=(${MARK}`, key: secretKey }, 400],
      [{ path: `${things}?cursor=${MARK}`, key: secretKey }, 400],
      [{ path: `${things}?x-api-key=${secretKey}` }, 401],
      [{ path: things, key: `${secretKey}${MARK}` }, 401],
      [{ path: `/api/data/${MARK}`, key: secretKey }, 404],
      [{ path: `/${MARK}` }, 404],
      [{ path: `${things}/${MARK}`, key: secretKey }, 400],
      [{ path: one, key: secretKey, headers: { "if-none-match": MARK } }, 200],
      [{ method: "PATCH", path: one, key: secretKey, body: { text: MARK } }, 200],
      [
        { method: "PATCH", path: one, key: secretKey, body: {}, headers: { "if-match": MARK } },
        412,
      ],
      [{ path: things, key: secretKey, body: {}, headers: { "idempotency-key": MARK } }, 201],
      [{ path: things, key: secretKey, headers: { cookie: MARK, origin: `http://${MARK}` } }, 200],
      [{ path: things, key: secretKey, headers: { "user-agent": MARK, referer: MARK } }, 200],
      [{ path: notes, key: publishableKey, token, body: { text: MARK } }, 201],
      [{ path: notes, key: publishableKey, token: `${token}x` }, 401],
      [{ path: notes, key: publishableKey, token: MARK }, 401],
      [{ path: notes, key: publishableKey }, 401],
    ];
    for (const [call, status] of calls) {
      const answer = await send(server, call);
      assert.equal(answer.status, status, `${call.method ?? ""} ${call.path}: ${answer.text}`);
    }
    await exchange(port, `GET /%zz${MARK} HTTP/1.1\r\nhost: ${MARK}\r\n\r\n`);
    await exchange(
      port,
      `FOO ${things}?${MARK} HTTP/1.1\r\nhost: x\r\nx-api-key: ${secretKey}\r\n${type}\r\n\r\n`,
    );
    const rotated = await admin(
      ["key", "rotate", "--project", project.projectId, "--kind", "secret"],
      settings,
    );
    const { code, stdout, stderr } = await server.stop();
    assert.equal(code, 0);
    assert.equal(stderr, "");

    assert.ok(stdout.endsWith("\n"));
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    for (const line of lines) {
      assert.ok(typeof line === "object" && line !== null && !Array.isArray(line));
      assert.ok(!Number.isNaN(Date.parse(line.time)), JSON.stringify(line));
      assert.ok(["debug", "info", "warn", "error"].includes(line.level));
    }
    const texts = [MARK, publishableKey, secretKey, rotated.key, token, SECRETS.split(":")[1]!];
    for (const text of texts) assert.ok(!stdout.includes(text), `${text} is in the log`);
    assert.doesNotMatch(stdout, /[ps]k_live_|eyJ/);

    const requests = lines.filter((line) => line.requestId !== undefined);
    const logged = (status: number) => requests.filter((line) => line.status === status).length;
    for (const status of new Set(calls.map(([, status]) => status))) {
      const sent = calls.filter((call) => call[1] === status).length;
      assert.ok(logged(status) >= sent, `${sent} responses of ${status} have a log line each`);
    }
    const created = requests.find(({ status, operation }) =>
      status === 201 && operation === "createDocument"
    );
    assert.equal(created.project, project.projectId);
    assert.equal(created.caller, "secret");
    assert.equal(typeof created.ms, "number");
    const conflict = requests.find(({ status }) => status === 409);
    assert.equal(conflict.problem, "DUPLICATE_VALUE");
    assert.equal(new Set(requests.map(({ requestId }) => requestId)).size, requests.length);
  });
}

Deno.test("a log line is found by the request id of its response", async () => {
  await using server = await startServer();
  const { headers } = await send(server, { path: "/api/nowhere" });
  const { stdout } = await server.stop();
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const line = lines.find(({ requestId }) => requestId === headers.get("x-request-id"));
  assert.deepEqual([line.method, line.status, line.problem], ["GET", 404, "ROUTE_NOT_FOUND"]);
});

Deno.test("commands print no key ring, and only the requested key or token", async () => {
  await using server = await startServer({
    settings: { SECRET_KEYS: SECRETS, LOG_LEVEL: "debug" },
  });
  const { settings } = server;
  const project = await createProject(settings);
  const { id, token } = await createUser(settings, project);
  const wordsOf = (...words: string[]) => [...words, "--project", project.projectId];
  const said = await Promise.all([
    runAdmin(["project", "list"], settings),
    runAdmin(wordsOf("collection", "list"), settings),
    runAdmin(wordsOf("key", "rotate", "--kind", "publishable"), settings),
    runAdmin(wordsOf("token", "issue", "--user", id), settings),
    runAdmin(wordsOf("key", "rotate", "--kind", token), settings),
  ]);
  const { publishableKey, secretKey } = project;
  for (const { stdout, stderr } of said) {
    for (const text of [publishableKey, secretKey, token, SECRETS.split(":")[1]!]) {
      assert.ok(!stdout.includes(text) && !stderr.includes(text));
    }
  }
});
