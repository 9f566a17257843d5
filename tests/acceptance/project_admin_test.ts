import assert from "node:assert/strict";
import { permittedPaths } from "@/permissions.ts";
import { createCollection, createProject, send, THINGS } from "./project.ts";
import { admin, run, runAdmin, type Server, startServer } from "./server.ts";
import { clientsByThread } from "./threads.ts";
import { until } from "./until.ts";

const PASSWORD = "seven wet stones 41";

/** Milliseconds within which a request is counted: it is stored after 10 s, plus a margin. */
const COUNTED_MS = 30_000;

async function register(server: Server, email: string): Promise<string> {
  const body = { email, password: PASSWORD };
  const answer = await send(server, { path: "/api/auth/register", body });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.getSetCookie()[0]!.split(";")[0]!;
}

Deno.test("project commands create for an account, and restore from its trash, while a server runs", async () => {
  await using server = await startServer();
  const { settings } = server;
  const cookie = await register(server, "Ada@example.com");
  const asAda = (path: string, method = "GET", body?: unknown) =>
    send(server, { path, method, headers: { cookie }, ...(body !== undefined && { body }) });
  const create = (
    name: string,
  ) => ["project", "create", "--name", name, "--owner", "ada@EXAMPLE.com"];
  const { projectId, secretKey } = await admin(create("Blog"), settings);
  const path = `/api/projects/${projectId}`;
  const { body: { data } } = await asAda(path);
  assert.deepEqual([data.name, data.role, data.plan], ["Blog", "owner", "free"]);

  assert.equal((await asAda(path, "DELETE", { name: "Blog" })).status, 200);
  const asked = () => send(server, { path: "/api/data/none", key: secretKey });
  assert.equal((await asked()).status, 401);
  assert.deepEqual(await admin(["project", "list"], settings), { projects: [] });
  const { projects } = await admin(["project", "list", "--deleted"], settings);
  assert.deepEqual(projects.map((one: Record<string, string>) => [one.projectId, one.name]), [
    [projectId, "Blog"],
  ]);
  assert.ok(Date.parse(projects[0].restorableUntil) > Date.now());
  const rotate = ["key", "rotate", "--project", projectId, "--kind", "secret"];
  assert.match((await runAdmin(rotate, settings)).stderr, /Project not found/);

  const restore = ["project", "restore", "--project", projectId];
  assert.deepEqual(await admin(restore, settings), { projectId });
  assert.equal((await asked()).status, 404);
  assert.equal((await asAda(path)).status, 200);

  for (const name of ["two", "three"]) await admin(create(name), settings);
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [restore, /Project not found/],
    [["project", "restore", "--project", "x"], /Invalid project ID/],
    [["project", "restore"], /--project is missing/],
    [["project", "create", "--name", "x", "--owner", "eve@example.com"], /no account/],
    [create("four"), /The free plan allows 3 projects/],
  ];
  for (const [words, expected] of refusals) {
    const { code, stdout, stderr } = await runAdmin(words, settings);
    assert.deepEqual([code, stdout], [1, ""], words.join(" "));
    assert.match(stderr, expected);
  }
  assert.equal((await admin(["project", "list"], settings)).projects.length, 3);
});

Deno.test("each thread of a server adds its requests to the shared counts by itself", async () => {
  await using server = await startServer({ settings: { WORKERS: "2" } });
  const cookie = await register(server, "ada@example.com");
  const words = ["project", "create", "--name", "Blog", "--owner", "ada@example.com"];
  const project = await admin(words, server.settings);
  await createCollection(server.settings, project, THINGS);
  const threads = await clientsByThread(server, 2);
  for (const thread of threads) {
    for (let n = 0; n < 20; n++) {
      const path = `/api/data/things${n < 5 ? "/x" : ""}`;
      await send(thread, { path, key: project.secretKey });
    }
    thread.http.close();
  }
  const path = `/api/projects/${project.projectId}/usage`;
  type Count = { requests: number; errors: number };
  const sum = (counts: Count[], name: keyof Count) =>
    counts.reduce((all, one) => all + one[name], 0);
  let days: Count[] = [];
  await until("all requests are counted", async () => {
    const { body } = await send(server, { path, headers: { cookie } });
    days = body.data.requests.days;
    return sum(days, "requests") === 40;
  }, COUNTED_MS);
  assert.equal(sum(days, "errors"), 10);
});

Deno.test("a file moves a configuration between projects, and a refusal names the part that fails", async () => {
  await using server = await startServer();
  const { settings } = server;
  const [writable] = permittedPaths("write", settings).split(",").slice(1);
  await Deno.mkdir(writable!, { recursive: true });
  const file = `${writable}/corbel.json`;
  const [staging, production] = [await createProject(settings), await createProject(settings)];
  await createCollection(settings, staging, THINGS);
  const pulling = ["project", "pull", "--project", staging.projectId, "--to", file];
  assert.deepEqual(await admin(pulling, settings), { to: file });
  const elsewhere = await runAdmin([...pulling.slice(0, -1), "/corbel.json"], settings);
  assert.match(elsewhere.stderr, /redirect its output into the file/);
  const pushing = ["project", "push", "--project", production.projectId, "--from"];
  const dry = await admin([...pushing, file, "--dry-run"], settings);
  assert.equal(dry.dryRun, true);
  assert.deepEqual(await admin([...pushing, file], settings), { ...dry, dryRun: false });
  assert.deepEqual((await admin([...pushing, file], settings)).changes, []);
  const listing = (id: string) => admin(["collection", "list", "--project", id], settings);
  assert.deepEqual(await listing(production.projectId), await listing(staging.projectId));

  const configuration = JSON.parse(await Deno.readTextFile(file));
  const mistakes: [unknown, RegExp][] = [
    [{ ...configuration, format: "corbel-project/9" }, /"format" must be "corbel-project\/1"/],
    [{ ...configuration, colections: [] }, /may have only format, settings/],
    [
      { ...configuration, collections: [{ name: "a b" }] },
      /^collections\.0: The collection name "a b"/,
    ],
    [
      { ...configuration, settings: { name: "Other" } },
      /A configuration does not contain the project's name/,
    ],
    [{ ...configuration, webhooks: [{ name: "x" }] }, /^webhooks\.0: /],
  ];
  for (const [given, expected] of mistakes) {
    const { code, stderr } = await runAdmin([...pushing, "-"], settings, JSON.stringify(given));
    assert.equal(code, 1);
    assert.match(stderr, expected);
  }
});

Deno.test("project types are printed as a file or as JSON", async () => {
  await using server = await startServer();
  const { settings } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const words = ["types", "--project", project.projectId];
  const { types } = await admin(words, settings);
  assert.match(types, /export interface ThingsDocument \{/);
  const { stdout } = await (await run("admin", words, { settings })).ended;
  assert.equal(stdout.trimEnd(), types.trimEnd());
  const { stderr } = await runAdmin([...words, "--audience", "all"], settings);
  assert.match(stderr, /--audience must be client or server/);
});
