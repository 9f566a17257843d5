import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { createProject, listAll, send } from "./project.ts";
import { admin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const CURL_LINES_MIN = 5;

const curlLines = (text: string) => text.split("\n").filter((line) => line.startsWith("curl "));

/** The greeting is printed after the server listens. */
const greeted = (server: Server) =>
  until("the greeting is printed", () => /reference/i.test(server.stdout()));

const projectsOf = async (server: Server) =>
  (await admin(["project", "list"], server.settings)).projects;

/** Runs a printed line like a user who pastes it, with flags added at its end. */
async function statusOf(line: string): Promise<string> {
  const { stdout } = await new Deno.Command("bash", {
    args: ["-c", `${line} -s -o /dev/null -w '%{http_code}'`],
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("dev in an empty folder creates a demo, and every printed curl line answers 200 or 201", async (t) => {
  await using store = await createTestStore();
  const options = { task: "dev", store, cwd: store.folder } as const;
  await using server = await startServer(options);
  await greeted(server);
  const first = server.stdout();
  const address = `http://localhost:${server.port}`;
  const key = (prefix: string) => {
    const found = new RegExp(`${prefix}_live_[A-Za-z0-9_-]{43}`).exec(first);
    assert.ok(found, `a ${prefix}_live_ key is printed`);
    return found[0];
  };

  await t.step("the address, the reference and both keys are printed", () => {
    assert.ok(first.includes(address));
    assert.ok(first.includes(`${address}/docs`));
    key("pk");
    key("sk");
  });

  await t.step(
    "the printed account signs in to the dashboard and owns the demo",
    async () => {
      const [, email, password] = /e-mail\s+(\S+)\s+password\s+(\S+)/.exec(first)!;
      assert.ok(first.includes(`${address}/dashboard`));
      const entered = await fetch(`${server.url}/dashboard/sign-in`, {
        method: "POST",
        body: new URLSearchParams({ email: email!, password: password! }),
        redirect: "manual",
        client: server.http,
      });
      await entered.body?.cancel();
      assert.equal(entered.status, 303);
      const cookie = entered.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
      const page = await fetch(`${server.url}/dashboard`, {
        headers: { cookie },
        client: server.http,
      });
      assert.match(await page.text(), />Demo<\/a>/);
    },
  );

  await t.step("each printed curl line runs unchanged", async () => {
    const lines = curlLines(first);
    assert.ok(lines.length >= CURL_LINES_MIN, `${lines.length} curl lines are printed`);
    for (const line of lines) {
      assert.match(await statusOf(line), /^20[01]$/, line);
    }
  });

  await t.step(
    "the demo has public posts, private notes, and a few hundred documents",
    async () => {
      const secret = key("sk");
      const modeOf = async (name: string) => {
        const { body } = await send(server, { path: `/api/schemas/${name}`, key: secret });
        return [body.data.collection.rls.enabled, body.data.collection.rls.mode];
      };
      assert.deepEqual(await modeOf("posts"), [true, "public-read"]);
      assert.deepEqual(await modeOf("notes"), [true, "private"]);
      const project = { projectId: "", publishableKey: key("pk"), secretKey: secret };
      assert.ok((await listAll(server, project, "posts")).total >= 200);
      assert.ok((await listAll(server, project, "notes")).total > 0);
    },
  );

  await t.step(
    "the index, the reference, its document and both health checks answer",
    async () => {
      const index = await send(server, { path: "/" });
      assert.equal(index.status, 200);
      for (const path of ["/docs", "/openapi.json", "/api/health", "/api/health/ready"]) {
        assert.ok(index.text.includes(path), `the index names ${path}`);
        assert.equal((await send(server, { path })).status, 200, path);
      }
    },
  );

  await t.step(
    "a second start creates no second demo, and prints the account and publishable key again",
    async () => {
      assert.equal((await server.stop()).code, 0);
      await using again = await startServer(options);
      await greeted(again);
      const second = again.stdout();
      assert.deepEqual(curlLines(second), []);
      const account = /e-mail\s+(\S+)\s+password\s+(\S+)/;
      assert.deepEqual(account.exec(second)!.slice(1), account.exec(first)!.slice(1));
      assert.ok(second.includes(key("pk")));
      assert.doesNotMatch(second, /sk_live_/);
      assert.equal((await projectsOf(again)).length, 1);
      assert.equal((await send(again, { path: "/api/data/posts", key: key("pk") })).status, 200);
    },
  );
});

Deno.test("changed parts of the demo are not printed with their old values", async () => {
  await using store = await createTestStore();
  await using first = await startServer({ task: "dev", store });
  await greeted(first);
  const [, email, password] = /e-mail\s+(\S+)\s+password\s+(\S+)/.exec(first.stdout())!;
  const [{ projectId }] = await projectsOf(first);
  const { settings } = first;
  await admin(["account", "password", "--email", email!], settings, "seven wet stones 41\n");
  const rotate = ["key", "rotate", "--project", projectId, "--kind", "publishable"];
  const { key } = await admin(rotate, settings);
  await first.stop();
  await using again = await startServer({ task: "dev", store });
  await greeted(again);
  const second = again.stdout();
  assert.match(second, /password\s+the one that you gave it/);
  assert.ok(!second.includes(password!));
  assert.deepEqual(second.match(/[ps]k_live_[A-Za-z0-9_-]{43}/g), [key]);
});

Deno.test("two dev processes that start at once create one demo", async () => {
  await using store = await createTestStore();
  const started = await Promise.allSettled([
    startServer({ task: "dev", store }),
    startServer({ task: "dev", store }),
  ]);
  try {
    const servers = started.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
    assert.equal(servers.length, 2);
    await Promise.all(servers.map(greeted));
    assert.equal((await projectsOf(servers[0]!)).length, 1);
    assert.equal(servers.filter((server) => curlLines(server.stdout()).length > 0).length, 1);
  } finally {
    for (const one of started) {
      if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
    }
  }
});

Deno.test("dev with an existing project creates no demo", async () => {
  await using server = await startServer();
  await createProject(server.settings);
  await server.stop();
  await using dev = await startServer({ task: "dev", store: server.store });
  await greeted(dev);
  assert.deepEqual((await projectsOf(dev)).map((one: { name: string }) => one.name), [
    "Acceptance",
  ]);
});

Deno.test("start never creates a demo", async () => {
  await using server = await startServer();
  assert.deepEqual(await projectsOf(server), []);
  assert.doesNotMatch(server.stdout(), /curl |_live_/);
});
