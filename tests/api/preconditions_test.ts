import assert from "node:assert/strict";
import type { Services } from "@/lib/services.ts";
import type { Definition, Records, Space, StoredRecord } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { engineOver } from "../support/engine_over.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  type CollectionCall,
  createTestCollection,
  ok,
  refused,
  tally,
  times,
  UNKNOWN_ID,
} from "./test_collection.ts";

const WRITES: Record<string, (id: string) => CollectionCall> = {
  PUT: (id) => ({ method: "PUT", path: `/${id}`, body: { n: "put" } }),
  PATCH: (id) => ({ method: "PATCH", path: `/${id}`, body: { n: "patch" } }),
  DELETE: (id) => ({ method: "DELETE", path: `/${id}` }),
  "permanent DELETE": (id) => ({ method: "DELETE", path: `/${id}?permanent=true` }),
};

const ifMatch = (call: CollectionCall, tag: string): CollectionCall => ({
  ...call,
  headers: { "if-match": tag },
});

Deno.test("each answer with one document has the ETag that reading it has", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const created = await collection.asSecret({ body: { n: 1 } });
  const id = created.body.data._id as string;
  const tags = new Set<string>();
  const calls: (CollectionCall | null)[] = [
    null,
    { method: "PUT", path: `/${id}`, body: { n: 2 } },
    { method: "PATCH", path: `/${id}`, body: { n: 3 } },
    { method: "DELETE", path: `/${id}` },
    { method: "PATCH", path: `/${id}/recover` },
  ];
  for (const call of calls) {
    app.clock.advance(1000);
    const answer = call === null ? created : await collection.asSecret(call);
    const read = await collection.read(id);
    const tag = read.headers.get("etag")!;
    assert.match(tag, /^"[^"]+"$/, "a strong tag");
    if (call?.method !== "DELETE") assert.equal(answer.headers.get("etag"), tag);
    tags.add(tag);
  }
  assert.equal(tags.size, calls.length, "each change has its own tag");
});

Deno.test("the ETag is equal for all who may see the document, until it changes", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const ann = await collection.project.user();
  const { _id: id } = await collection.insertOne({ n: 1, userId: ann.id });
  await collection.insertOne({ n: 2 });
  app.clock.advance(60_000);
  const answers = [
    await collection.asSecret({ path: `/${id}` }),
    await collection.asPublic({ path: `/${id}` }),
    await collection.asPublic({ path: `/${id}` }, ann),
    await collection.asSecret({ path: `/${id}?include_deleted=true` }),
  ];
  assert.equal(new Set(answers.map(({ headers }) => headers.get("etag"))).size, 1);
});

for (const [name, write] of Object.entries(WRITES)) {
  Deno.test(`${name}: If-Match accepts only the current state`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const stored = await collection.asSecret({ body: { n: 1 } });
    const id = stored.body.data._id as string;
    const old = stored.headers.get("etag")!;
    app.clock.advance(1000);
    const changed = await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { n: 2 } });
    const tag = changed.headers.get("etag")!;
    await collection.untouched(async () => {
      const others = [
        old,
        '"x"',
        "",
        tag.slice(1, -1),
        `W/${tag}`,
        `"a", ${old}`,
        `${tag}x`,
        tag.toUpperCase() + "!",
        "W/*",
        '"*"',
      ];
      for (const other of others) {
        const answer = await collection.asSecret(ifMatch(write(id), other));
        refused(answer, 412, "PRECONDITION_FAILED");
      }
    });
    ok(await collection.asSecret(ifMatch(write(id), `"a",${tag} , "b"`)));
  });

  Deno.test(`${name}: If-Match: * accepts any state but not a missing document`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    await collection.untouched(async () => {
      for (const tag of ["*", '"x"']) {
        const answer = await collection.asSecret(ifMatch(write(UNKNOWN_ID), tag));
        refused(answer, 404, "DOCUMENT_NOT_FOUND");
      }
    });
    ok(await collection.asSecret(ifMatch(write(id), "*")));
  });

  Deno.test(`${name}: of 50 concurrent conditional writes exactly one succeeds`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const stored = await collection.asSecret({ body: { n: 1 } });
    const id = stored.body.data._id as string;
    app.clock.advance(1000);
    const call = ifMatch(write(id), stored.headers.get("etag")!);
    const answers = await Promise.all(times(50, (n) => {
      const body = call.body === undefined ? {} : { body: { winner: n } };
      return collection.asSecret({ ...call, ...body });
    }));
    const lost = name.includes("DELETE") ? 404 : 412;
    const { 200: won, ...others } = tally(answers);
    assert.equal(won, 1);
    // A deletion can be found done before or after the tag is compared.
    assert.ok(Object.keys(others).every((status) => [lost, 412].includes(Number(status))));
    if (call.body !== undefined) {
      const winner = answers.find(({ status }) => status === 200)!;
      assert.deepEqual((await collection.read(id)).body.data, winner.body.data);
    }
  });

  // Users cannot delete permanently at all.
  if (name === "permanent DELETE") continue;

  Deno.test(`${name}: with a wrong tag a hidden document looks like a missing one`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, { rls: { mode: "private" } });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const { _id: id } = ok(await collection.asPublic({ body: {} }, bob), 201);
    await collection.untouched(async () => {
      for (const tag of ["*", '"x"']) {
        refused(await collection.asPublic(ifMatch(write(id), tag), ann), 404, "DOCUMENT_NOT_FOUND");
      }
    });
  });
}

for (const method of ["PUT", "PATCH"]) {
  Deno.test(`${method}: 50 concurrent writes with If-Match: * all take effect`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    const answers = await Promise.all(times(50, (n) =>
      collection.asSecret({
        method,
        path: `/${id}`,
        body: { [`n${n}`]: n },
        headers: { "if-match": "*" },
      })));
    assert.deepEqual(tally(answers), { 200: 50 });
    const members = Object.keys((await collection.read(id)).body.data);
    const written = members.filter((member) => /^n\d+$/.test(member)).length;
    assert.equal(written, method === "PUT" ? 1 : 50);
  });

  Deno.test(`${method}: 50 concurrent unconditional writes all take effect`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const { _id: id } = await collection.insertOne();
    const answers = await Promise.all(
      times(50, (n) => collection.asSecret({ method, path: `/${id}`, body: { [`n${n}`]: n } })),
    );
    assert.deepEqual(tally(answers), { 200: 50 });
    const members = Object.keys((await collection.read(id)).body.data);
    const written = members.filter((member) => /^n\d+$/.test(member)).length;
    assert.equal(written, method === "PUT" ? 1 : 50);
  });
}

/** Returns services that run `afterRead` after the first read of a document. */
function withWriteAfterRead(
  services: Services,
  collection: string,
  afterRead: () => Promise<void>,
): Services {
  const { engine } = services;
  let found = false;
  function watched<T extends StoredRecord>(space: Space, definition: Definition): Records<T> {
    const records = engine.records<T>(space, definition);
    if (!definition.name.startsWith(`${collection}.`)) return records;
    return {
      insert: (record) => records.insert(record),
      insertMany: (many) => records.insertMany(many),
      restore: (many) => records.restore(many),
      get: (id) => records.get(id),
      list: (query) => records.list(query),
      find: (query) => records.find(query),
      count: (filter) => records.count(filter),
      aggregate: (query) => records.aggregate(query),
      referrers: (query) => records.referrers(query),
      explain: (query) => records.explain(query),
      updateOne: (filter, change) => records.updateOne(filter, change),
      upsert: (filter, change, record) => records.upsert(filter, change, record),
      deleteOne: (filter) => records.deleteOne(filter),
      deleteMany: (filter, limit) => records.deleteMany(filter, limit),
      async findOne(filter) {
        const document = await records.findOne(filter);
        if (!found) {
          found = true;
          await afterRead();
        }
        return document;
      },
    };
  }
  return {
    ...services,
    engine: engineOver(engine, { records: watched }),
  };
}

for (const [name, write] of Object.entries(WRITES)) {
  Deno.test(`${name}: a change between the comparison and the write is not overwritten`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const stored = await collection.asSecret({ body: { n: 1 } });
    const id = stored.body.data._id as string;
    app.clock.advance(1000);
    const services = withWriteAfterRead(app.services, collection.name, async () => {
      ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { meanwhile: true } }));
    });
    const { path, ...call } = write(id);
    const answer = await send(createApp(services), {
      ...call,
      path: `/api/data/${collection.name}${path}`,
      headers: {
        "x-api-key": collection.project.secretKey,
        "if-match": stored.headers.get("etag")!,
      },
    });
    refused(answer, 412, "PRECONDITION_FAILED");
    const { data } = (await collection.read(id)).body;
    assert.deepEqual([data.n, data.meanwhile, data.isDeleted], [1, true, false]);
  });
}

Deno.test("If-Match protects a document sent back as read; without it the last write wins", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const stored = await collection.insertOne({ n: 1 });
  app.clock.advance(1000);
  ok(await collection.asSecret({ method: "PATCH", path: `/${stored._id}`, body: { n: 2 } }));
  const call = { method: "PUT", path: `/${stored._id}`, body: { ...stored, n: 3 } };
  await collection.untouched(async () => {
    refused(await collection.asSecret(ifMatch(call, '"old"')), 412, "PRECONDITION_FAILED");
  });
  assert.equal(ok(await collection.asSecret(call)).n, 3);
});

Deno.test("If-None-Match is 304 without a body while the document is unchanged", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne({ n: 1 });
  const read = (tag: string, method = "GET") =>
    collection.asSecret({ method, path: `/${id}`, headers: { "if-none-match": tag } });
  const tag = (await read('"x"')).headers.get("etag")!;
  for (const header of [tag, `W/${tag}`, "*", ` ${tag} `, `"a", ${tag}`, `W/"b",W/${tag}`]) {
    for (const method of ["GET", "HEAD"]) {
      const answer = await read(header, method);
      assert.equal(answer.status, 304, header);
      assert.equal(answer.text, "");
      assert.equal(answer.headers.get("etag"), tag);
    }
  }
  for (const header of ['"x"', "", tag.slice(1, -1), '"*"', `W/"x", "y"`]) {
    assert.equal((await read(header)).status, 200, header);
  }
  app.clock.advance(1000);
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { n: 2 } }));
  assert.equal((await read(tag)).status, 200);
});

Deno.test("a populated document has no ETag, because the documents in it may change", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "next", type: "Ref", ref: "posts" }],
  });
  const target = await collection.insertOne({ n: 1 });
  const { _id: id } = await collection.insertOne({ next: target._id });
  const tag = (await collection.asSecret({ path: `/${id}` })).headers.get("etag")!;
  const path = `/${id}?populate=next`;
  app.clock.advance(1000);
  ok(await collection.asSecret({ method: "PATCH", path: `/${target._id}`, body: { n: 2 } }));
  for (const header of [tag, "*"]) {
    const answer = await collection.asSecret({ path, headers: { "if-none-match": header } });
    assert.equal(ok(answer).next.n, 2);
    assert.equal(answer.headers.get("etag"), null);
  }
});
