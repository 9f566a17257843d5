/** A request that takes as long as the limits allow does not delay others. */

import assert from "node:assert/strict";
import { times } from "../api/test_collection.ts";
import type { Call } from "../support/conforming_client.ts";
import { listen, type LiveReader } from "../support/live_reader.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { startWebhookServer } from "../support/webhook_server.ts";
import { assertOthersGoOn, openBystander } from "./waits.ts";

/**
 * Registers a test on SQLite, whose statements run on the event loop's thread. MongoDB's stand-in
 * refuses a transaction that changes 49 documents of nearly 1 MB.
 */
const testOnSqlite = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name, ignore: database === "mongodb", fn });

const text = (length: number) => "a".repeat(length);

const members = (count: number) => Object.fromEntries(times(count, (i) => [`m${i}`, i]));

/** Documents that nearly reach the limits on size, members and values. */
const LARGE = {
  "a long text": { n: 0, text: text(900_000) },
  "many members": { n: 0, ...members(19_900) },
  "many numbers": { n: 0, list: times(390_000, () => 0) },
};

interface Attacked extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Sends a call with the secret key, asserts success, and reads the complete response. */
  call(call: Call): Promise<Uint8Array>;
  asOwner(call: Call): Promise<Uint8Array>;
  create(collection: string, document: object): Promise<string>;
  assertNoDelay(work: () => Promise<unknown>): Promise<void>;
}

/** Opens an app without plans and rate limits, and a project with a collection `notes`. */
async function openAttacked(definition: object = {}): Promise<Attacked> {
  const app = await openTestApp({
    env: { PLANS: "off", RATE_LIMITS: "off", ALLOW_PRIVATE_ENDPOINTS: "true" },
  });
  const bystander = await openBystander(app);
  const project = await app.project();
  const fields = [{ key: "n", type: "Number" }];
  await project.collection({ name: "notes", fields, strict: false, ...definition });
  const { cookie } = await project.owner();
  const sent = async (headers: Record<string, string>, call: Call) => {
    const all = { ...headers, ...Object.fromEntries(new Headers(call.headers)) };
    const response = await app.open({ ...call, headers: all });
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.ok(response.ok, `${response.status} ${new TextDecoder().decode(bytes.slice(0, 500))}`);
    return bytes;
  };
  const call = (call: Call) => sent({ "x-api-key": project.secretKey }, call);
  return {
    app,
    project,
    call,
    asOwner: (call) => sent({ cookie }, call),
    async create(collection, document) {
      const answer = await call({ path: `/api/data/${collection}`, body: document });
      return JSON.parse(new TextDecoder().decode(answer)).data._id;
    },
    assertNoDelay: (work) => assertOthersGoOn(app, bystander, work),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const NOTES = "/api/data/notes";
const patch = (id: string, n: number): Call => ({
  method: "PATCH",
  path: `${NOTES}/${id}`,
  body: { n },
});

const CHANGES = 60;

for (const [what, large] of Object.entries(LARGE)) {
  testOnSqlite(
    `others continue while a live list resumes over ${CHANGES} changes of ${what}`,
    async () => {
      await using attacked = await openAttacked();
      const { app, project, call, create, assertNoDelay } = attacked;
      const id = await create("notes", large);
      const path = "notes/live?n_gte=-1&fields=n";
      const first = await listen({ app, project, path });
      const { id: lastEventId } = await first.expect("list");
      await first[Symbol.asyncDispose]();
      for (let n = 1; n <= CHANGES; n++) await call(patch(id, n));
      await assertNoDelay(async () => {
        await using reader = await listen({ app, project, path, lastEventId });
        const changes = await reader.changes(CHANGES);
        assert.equal(changes.at(-1)!.data.document.n, CHANGES);
      });
    },
  );

  testOnSqlite(
    `others continue while a batch deletes 49 documents of ${what} by their tags`,
    async () => {
      await using attacked = await openAttacked();
      const { call, create, assertNoDelay } = attacked;
      await assertNoDelay(async () => {
        const ids: string[] = [];
        while (ids.length < 49) ids.push(await create("notes", large));
        const operations = ids.map((id) => ({
          action: "delete",
          collection: "notes",
          id,
          ifMatch: "*",
        }));
        await call({ path: "/api/batch", body: { operations } });
      });
    },
  );

  testOnSqlite(
    `others continue while a document of ${what} is changed with a field for files`,
    async () => {
      await using attacked = await openAttacked({
        fields: [{ key: "n", type: "Number" }, { key: "file", type: "String", file: true }],
      });
      const { call, create, assertNoDelay } = attacked;
      const id = await create("notes", large);
      let n = 0;
      await assertNoDelay(() => call(patch(id, ++n)));
      await assertNoDelay(() => call({ path: `${NOTES}/${id}?fields=n` }));
      await assertNoDelay(() => call({ method: "DELETE", path: `${NOTES}/${id}?permanent=true` }));
    },
  );
}

const LISTENERS = 400;
const PATCHED = 8;

testOnSqlite(
  `others continue while ${LISTENERS} different live lists follow ${PATCHED} changes`,
  async () => {
    await using attacked = await openAttacked();
    const { app, project, call, create, assertNoDelay } = attacked;
    const ids: string[] = [];
    while (ids.length < PATCHED) ids.push(await create("notes", LARGE["many members"]));
    await using open = new AsyncDisposableStack();
    const readers: LiveReader[] = [];
    for (let i = 0; i < LISTENERS; i++) {
      const path = `notes/live?snapshot=false&fields=n,m${i}`;
      const peer = `10.0.${i >> 4}.${i & 15}`;
      readers.push(open.use(await listen({ app, project, path, peer })));
    }
    let n = 0;
    await assertNoDelay(async () => {
      n++;
      for (const id of ids) await call(patch(id, n));
      for (const reader of readers) {
        const changes = await reader.changes(PATCHED);
        assert.equal(changes.at(-1)!.data.document.n, n);
      }
    });
  },
);

const MESSAGES = 20;

testOnSqlite(
  `others continue while ${MESSAGES} webhook messages of 1.5 MB are stored and sent again`,
  async () => {
    await using server = await startWebhookServer();
    await using attacked = await openAttacked();
    const { app, project, call, asOwner, create, assertNoDelay } = attacked;
    const webhooks = `/api/projects/${project.projectId}/webhooks`;
    const events = { notes: ["changed"] };
    const answer = await asOwner({
      path: webhooks,
      body: { name: "Test", url: server.url, events },
    });
    const { data: { id: webhookId } } = JSON.parse(new TextDecoder().decode(answer));
    const id = await create("notes", { n: 0, text: text(740_000) });
    let n = 0;
    await assertNoDelay(async () => {
      const before = server.received.length;
      for (let i = 0; i < MESSAGES; i++) await call(patch(id, ++n));
      await app.services.jobRunner.idle();
      assert.equal(server.received.length, before + MESSAGES);
    });
    server.behave(500);
    for (let i = 0; i < MESSAGES; i++) await call(patch(id, ++n));
    await app.services.jobRunner.idle();
    server.behave(200);
    await assertNoDelay(async () => {
      const since = new Date(app.clock.now() - 3_600_000).toISOString();
      await asOwner({ path: `${webhooks}/${webhookId}/replay`, body: { since } });
      await app.services.jobRunner.idle();
    });
  },
);

const COLLECTIONS = 50;

testOnSqlite(
  "others continue while documents, types and pages of the largest definitions are made",
  async () => {
    await using attacked = await openAttacked();
    const { project, asOwner, assertNoDelay } = attacked;
    for (let i = 0; i < COLLECTIONS; i++) {
      const fields = times(200, (j) => ({
        key: `f${j}`,
        type: "String",
        enum: [`${text(90)}${i}`, text(40)],
      }));
      await project.collection({ name: `c${i}`, fields });
    }
    const api = `/api/projects/${project.projectId}`;
    const pages = `/dashboard/projects/${project.projectId}`;
    for (const file of ["openapi.json", "types.ts"]) {
      await assertNoDelay(() => asOwner({ path: `${api}/${file}?audience=server` }));
      // Each response depends on all definitions, and none is cached.
      let from = 0;
      await assertNoDelay(() => {
        const names = times(24, () => `c${from++ % COLLECTIONS}`);
        const paths = names.map((name) => `${api}/${file}?audience=server&collections=${name}`);
        return Promise.all(paths.map((path) => asOwner({ path })));
      });
    }
    await assertNoDelay(() => asOwner({ path: `${pages}/collections/c1/api` }));
    await assertNoDelay(() => asOwner({ path: `${pages}/diagram` }));
  },
);

const bulks: Readonly<Record<string, () => object[]>> = {
  "long texts": () => times(100, () => ({ text: text(80_000) })),
  "many members": () => times(100, () => members(490)),
  "many numbers": () => times(100, () => ({ list: times(4_900, (i) => i) })),
};

for (const [what, documents] of Object.entries(bulks)) {
  testOnSqlite(
    `others continue while a hundred documents of ${what} are stored at once`,
    async () => {
      await using attacked = await openAttacked();
      const { call, assertNoDelay } = attacked;
      const bulk = JSON.stringify({ documents: documents() });
      await assertNoDelay(() => call({ path: `${NOTES}/bulk`, body: bulk }));
      const operations = documents().map((document) => ({
        action: "create",
        collection: "notes",
        document,
      }));
      const batch = JSON.stringify({ operations });
      await assertNoDelay(() => call({ path: "/api/batch", body: batch }));
    },
  );
}

testOnSqlite(
  "others continue while documents of ten indexed arrays are stored, replaced and deleted",
  async () => {
    const keys = times(10, (i) => `a${i}`);
    await using attacked = await openAttacked({
      fields: keys.map((key) => ({ key, type: "Array", items: { type: "Number" } })),
      indexes: keys.map((key) => ({ fields: [key] })),
    });
    const { call, create, assertNoDelay } = attacked;
    const document = () => Object.fromEntries(keys.map((key) => [key, times(1_000, (i) => i)]));
    const bulk = JSON.stringify({ documents: times(20, document) });
    await assertNoDelay(() => call({ path: `${NOTES}/bulk`, body: bulk }));
    const id = await create("notes", document());
    await assertNoDelay(() => call({ method: "PUT", path: `${NOTES}/${id}`, body: document() }));
    await assertNoDelay(async () => {
      const ids = [await create("notes", document()), await create("notes", document())];
      const operations = ids.map((id) => ({ action: "delete", collection: "notes", id }));
      await call({ path: "/api/batch", body: { operations } });
    });
  },
);

testOnSqlite(
  "others continue while the largest lists, exports and pages are made",
  async () => {
    await using attacked = await openAttacked();
    const { project, call, asOwner, create, assertNoDelay } = attacked;
    for (let n = 0; n < 40; n++) await create("notes", { ...LARGE["many members"], n });
    const home = `/dashboard/projects/${project.projectId}/collections/notes`;
    const data = `/api/projects/${project.projectId}/collections/notes/documents`;
    for (const query of ["", "&fields=n", "&meta=false", "&sort=-n"]) {
      const path = `${NOTES}?limit=1000${query}`;
      await assertNoDelay(() => call({ path, headers: { "cache-control": "no-cache" } }));
    }
    await assertNoDelay(() => asOwner({ path: `${home}?limit=100` }));
    let changes = 0;
    await assertNoDelay(() => {
      const required = ++changes % 2 === 1;
      const fields = [{ key: "n", type: "Number" }, { key: "m2", type: "Number", required }];
      const body = { name: "notes", fields, strict: false };
      const path = `/api/projects/${project.projectId}/collections/notes`;
      return asOwner({ method: "PUT", path, body });
    });
    await assertNoDelay(() => asOwner({ path: `${data}.json` }));
    await assertNoDelay(() => asOwner({ path: `${data}.csv?columns=n,m1` }));
  },
);

testOnSqlite(
  "others continue while 5,000 rows and a table of 500 columns are imported",
  async () => {
    await using attacked = await openAttacked();
    const { project, asOwner, assertNoDelay } = attacked;
    const path = `/api/projects/${project.projectId}/collections/notes/import`;
    const rows = ["a,b,c,d", ...times(4_999, (i) => `x${i},1,2,3`)].join("\n");
    await assertNoDelay(() => asOwner({ path, body: { text: rows } }));
    const columns = times(500, (i) => `c${i}`);
    const wide = [columns, ...times(118, () => columns.map(() => "1"))].map((row) => row.join())
      .join("\n");
    await assertNoDelay(() => asOwner({ path, body: { text: wide } }));
  },
);
