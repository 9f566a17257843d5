/** A process that is killed during a definition change of many documents. */

import assert from "node:assert/strict";
import { BY_KEY } from "@/tests/support/authorship.ts";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { compileCollections } from "@/lib/documents/save_collection.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { createCollection, type Project, send } from "./project.ts";
import { type Server, startServer } from "./server.ts";

const ROWS = 12_000;
const CHUNK = 1_000;
const WRITERS = 4;
/** Number of ids per request. Single reads of thousands of documents would be slow. */
const IDS_PER_REQUEST = 500;
/** Shares of the duration of a complete change, after which the process is killed. */
const KILL_POINTS = [0.2, 0.4, 0.6, 0.8];

const PATH = "/api/data/things";
const NAME = { key: "name", type: "String" };
const BEFORE = { name: "things", rls: { enabled: false }, fields: [NAME], indexes: [] };
const AFTER = {
  ...BEFORE,
  fields: [
    { ...NAME, search: true },
    { key: "n", type: "Number", required: true },
    { key: "tags", type: "Array", items: { type: "String" } },
  ],
  indexes: [{ fields: ["n"] }, { fields: ["tags", "-n"] }, { fields: ["name", "n"] }],
};

const documentOf = (n: number) => ({ name: `name ${n % 10}`, n, tags: [`t${n % 5}`, "all"] });

async function seed(store: TestStore, project: Project): Promise<void> {
  await createCollection(store.settings, project, BEFORE);
  await using services = await openServices(loadConfig(store.settings), { log: silentLog });
  const [collection] = await compileCollections(services, project.projectId);
  const documents = services.engine.records(project.projectId, collection!.records, BY_KEY);
  const at = "2026-01-01T00:00:00.000Z";
  for (let from = 0; from < ROWS; from += CHUNK) {
    await documents.insertMany(Array.from({ length: CHUNK }, (_, i) => ({
      _id: (from + i).toString(16).padStart(24, "0"),
      ...documentOf(from + i),
      createdAt: at,
      updatedAt: at,
      isDeleted: false,
      deletedAt: null,
    })));
  }
}

interface Owner {
  readonly project: Project;
  readonly cookie: string;
}

async function register(server: Server): Promise<Owner> {
  const account = { email: "owner@example.com", password: crypto.randomUUID() };
  const registered = await send(server, { path: "/api/auth/register", body: account });
  assert.equal(registered.status, 201, registered.text);
  const cookie = registered.headers.getSetCookie()[0]!.split(";")[0]!;
  const headers = { cookie };
  const created = await send(server, { path: "/api/projects", headers, body: { name: "Builds" } });
  assert.equal(created.status, 201, created.text);
  return { project: created.body.data, cookie };
}

const define = (server: Server, { project, cookie }: Owner, body: object) =>
  send(server, {
    method: "PUT",
    path: `/api/projects/${project.projectId}/collections/things`,
    headers: { cookie },
    body,
  });

/** Repeats a definition change until it succeeds, because it may time out on a busy machine. */
async function defineUntilStored(server: Server, owner: Owner, body: object): Promise<void> {
  for (;;) {
    const { status, body: answered, text } = await define(server, owner, body);
    if (status === 200) return;
    assert.equal(answered.code, "HANDLER_TIMEOUT", text);
  }
}

async function write(server: Server, { project }: Owner, stored: Set<string>): Promise<void> {
  for (let n = 0;; n++) {
    const call = { path: PATH, key: project.secretKey, body: documentOf(n) };
    const answer = await send(server, call).catch(() => null);
    if (answer === null) return;
    assert.ok([201, 503].includes(answer.status), answer.text);
    if (answer.status === 201) stored.add(answer.body.data._id);
    await pause(2);
  }
}

/** Asserts that either definition is in force completely, and no acknowledged document is lost. */
async function verify(server: Server, { project }: Owner, stored: Set<string>): Promise<void> {
  const key = project.secretKey;
  const countOf = async (query: string): Promise<number> => {
    const answer = await send(server, { path: `${PATH}?count=true&${query}`, key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.count;
  };
  const { body } = await send(server, { path: "/api/schemas/things", key });
  const keys = body.data.collection.fields.map((field: { key: string }) => field.key);
  assert.ok(["name", "name,n,tags"].includes(keys.join()), keys.join());
  const all = await countOf("");
  assert.ok(all >= ROWS + stored.size, `${all} of ${ROWS + stored.size}`);
  assert.equal(await countOf("n_gte=0"), all);
  assert.equal(await countOf("tags=all"), all);
  assert.equal(await countOf("tags_in=t0,t1,t2,t3,t4"), all);
  assert.equal(await countOf("name_ne=nobody"), all);
  if (keys.length > 1) {
    assert.equal(await countOf("search=name"), all);
    assert.equal(await countOf("search=name+3"), await countOf("name=name+3"));
  }
  const ids = [...stored];
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const asked = ids.slice(at, at + IDS_PER_REQUEST);
    assert.equal(await countOf(`_id_in=${asked.join(",")}`), asked.length);
  }
}

Deno.test("kill -9 during a definition change leaves a complete definition and loses no document", async () => {
  await using store = await createTestStore();
  const settings = { RATE_LIMITS: "off" };
  const owner = await (async () => {
    await using server = await startServer({ store, settings });
    return await register(server);
  })();
  await seed(store, owner.project);
  const file = `${store.folder}/projects/${owner.project.projectId}.db`;
  const stored = new Set<string>();
  const tookMs = await (async () => {
    await using server = await startServer({ store, settings });
    const began = performance.now();
    await defineUntilStored(server, owner, AFTER);
    const took = performance.now() - began;
    await verify(server, owner, stored);
    await defineUntilStored(server, owner, BEFORE);
    return took;
  })();
  let killed = 0;
  for (const point of KILL_POINTS) {
    await using server = await startServer({ store, settings });
    const writers = Promise.all(
      Array.from({ length: WRITERS }, () => write(server, owner, stored)),
    );
    let isOver = false;
    const change = define(server, owner, AFTER).catch(() => null).finally(() => isOver = true);
    await pause(point * tookMs);
    if (!isOver) killed++;
    assert.equal((await server.kill()).signal, "SIGKILL");
    await change;
    await writers;
    {
      using db = new DatabaseSync(file);
      assert.equal(db.prepare("pragma integrity_check").get()!.integrity_check, "ok");
    }
    await using again = await startServer({ store, settings });
    await verify(again, owner, stored);
    await defineUntilStored(again, owner, BEFORE);
    await verify(again, owner, stored);
  }
  assert.ok(killed >= 2, `${killed} of ${KILL_POINTS.length} were killed during a change`);
  await using server = await startServer({ store, settings });
  await defineUntilStored(server, owner, AFTER);
  await verify(server, owner, stored);
});
