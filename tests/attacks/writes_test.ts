/** Documents of many members: their cost is linear, and their number is limited. */

import assert from "node:assert/strict";
import { BODY_MEMBERS_MAX, DOCUMENT_MEMBERS_MAX } from "@/lib/limits.ts";
import { createTestCollection, ok, refused, type TestCollection } from "../api/test_collection.ts";
import { openTestApp } from "../support/test_app.ts";
import { costOf } from "./cost.ts";

/** Milliseconds of processor time that a request with many small parts may take. */
const PROCESSOR_MS_MAX = 1_000;

const many = (count: number, name: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 0]));

async function openCollection(): Promise<{ collection: TestCollection } & AsyncDisposable> {
  const app = await openTestApp();
  const collection = await createTestCollection(app, { strict: false });
  return { collection, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function assertQuick(work: () => Promise<unknown>): Promise<void> {
  const { processorMs } = await costOf(work);
  assert.ok(processorMs < PROCESSOR_MS_MAX, `${Math.round(processorMs)} ms`);
}

Deno.test("a PATCH with the maximum number of members is fast, and a larger one is refused unread", async () => {
  await using opened = await openCollection();
  const { collection } = opened;
  const { _id } = await collection.insertOne({ title: "One" });
  const patch = (body: unknown) => collection.asSecret({ method: "PATCH", path: `/${_id}`, body });
  await collection.untouched(async () => {
    for (const count of [DOCUMENT_MEMBERS_MAX + 1, 40_000]) {
      await assertQuick(async () => {
        const body = many(count, (i) => `m${i}`);
        refused(await patch(body), 413, "DOCUMENT_TOO_LARGE", "up to 20000 members");
      });
    }
    await assertQuick(async () => {
      const body = many(95_000, (i) => `m${i}`);
      refused(await patch(body), 413, "BODY_TOO_LARGE", `${BODY_MEMBERS_MAX} members`);
    });
  });
  await assertQuick(async () => ok(await patch(many(DOCUMENT_MEMBERS_MAX - 1, (i) => `m${i}`))));
});

Deno.test("a PATCH of many paths into one object is fast, and so is one of conflicting paths", async () => {
  await using opened = await openCollection();
  const { collection } = opened;
  const { _id } = await collection.insertOne({ deep: {} });
  const patch = (body: unknown) => collection.asSecret({ method: "PATCH", path: `/${_id}`, body });
  const within = "deep." + "a.".repeat(15);
  await assertQuick(async () => ok(await patch(many(15_000, (i) => `${within}m${i}`))));
  await collection.untouched(() =>
    assertQuick(async () => {
      const body = { ...many(10_000, (i) => `x${i}`), ...many(10_000, (i) => `x${i}.y`) };
      const answer = await patch(body);
      refused(answer, 400, "INVALID_DOCUMENT", "lies within another field");
      assert.ok(answer.text.length < 10_000, "not every member is listed");
    })
  );
});

Deno.test("members count at all depths, in a document, in each of a bulk, and in a change's result", async () => {
  await using opened = await openCollection();
  const { collection } = opened;
  const half = DOCUMENT_MEMBERS_MAX / 2;
  const nested = (count: number) => ({
    list: [many(half - 2, (i) => `a${i}`), { inner: many(count, (i) => `b${i}`) }],
  });
  const { _id } = await collection.insertOne(nested(half));
  await collection.untouched(async () => {
    const tooMany = nested(half + 1);
    const refusal = [413, "DOCUMENT_TOO_LARGE", "20000 members"] as const;
    refused(await collection.asSecret({ body: tooMany }), ...refusal);
    refused(
      await collection.asSecret({ path: "/bulk", body: { documents: [{}, tooMany] } }),
      ...refusal,
    );
    refused(
      await collection.asSecret({ method: "PUT", path: `/${_id}`, body: tooMany }),
      ...refusal,
    );
    for (const path of ["more", "list2.more"]) {
      const body = { [path]: many(half, (i) => `c${i}`) };
      refused(await collection.asSecret({ method: "PATCH", path: `/${_id}`, body }), ...refusal);
    }
  });
  const body = { list: null, more: many(half, (i) => `c${i}`) };
  ok(await collection.asSecret({ method: "PATCH", path: `/${_id}`, body }));
});

Deno.test("a bulk with the maximum number of members is fast, and a larger one is refused unread", async () => {
  await using opened = await openCollection();
  const { collection } = opened;
  const bulk = (members: number) => {
    const documents = Array.from({ length: 100 }, () => many(members, (i) => `m${i}`));
    return collection.asSecret({ path: "/bulk", body: { documents } });
  };
  await collection.untouched(() =>
    assertQuick(async () =>
      refused(await bulk(8_000), 413, "BODY_TOO_LARGE", `${BODY_MEMBERS_MAX} members`)
    )
  );
  await assertQuick(async () => ok(await bulk(BODY_MEMBERS_MAX / 100 - 1), 201));
});

Deno.test("a default is not multiplied beyond the limits of a request", async () => {
  await using app = await openTestApp();
  const text = "d".repeat(60_000);
  const element = { type: "Object", fields: [{ key: "d", type: "String", default: text }] };
  const collection = await createTestCollection(app, {
    fields: [{ key: "top", type: "String", default: "t" }, {
      key: "list",
      type: "Array",
      items: element,
    }],
  });
  const many = Array.from({ length: 40_000 }, () => ({}));
  const bulk = Array.from({ length: 100 }, () => ({ list: [{}, {}] }));
  await collection.untouched(async () => {
    for (
      const call of [
        { body: { list: many } },
        { path: "/bulk", body: { documents: bulk } },
      ]
    ) {
      await assertQuick(async () =>
        refused(await collection.asSecret(call), 413, "DOCUMENT_TOO_LARGE", "defaults")
      );
    }
  });
  const stored = await collection.insertOne({ list: [{}, {}] });
  assert.deepEqual(stored.list, [{ d: text }, { d: text }]);
  const { _id } = stored;
  const put = { method: "PUT", path: `/${_id}`, body: { list: many.slice(0, 100) } };
  refused(await collection.asSecret(put), 413, "DOCUMENT_TOO_LARGE", "defaults");
  const filling = (id: string, length: number) => {
    const document = { list: many.slice(0, length) };
    return { action: "upsert", collection: collection.name, id, document };
  };
  const batch = (...operations: ReturnType<typeof filling>[]) =>
    collection.project.asSecret({ path: "/api/batch", body: { operations } });
  const other = _id.replaceAll(/./g, "a");
  // They count once, although a document may be inserted or replaced.
  ok(await batch(filling(_id, 10), filling(other, 7)));
  refused(await batch(filling(_id, 10), filling(other, 8)), 413, "DOCUMENT_TOO_LARGE", "defaults");
});

Deno.test("a definition has at most 65,536 characters, even with few values", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await project.owner();
  const path = `/api/projects/${project.projectId}/collections`;
  const send = (length: number) => {
    const fields = [{ key: "a", type: "String", default: "d".repeat(length) }];
    return app.send({ path, headers: { cookie: owner.cookie }, body: { name: "posts", fields } });
  };
  refused(await send(65_536), 400, "INVALID_DEFINITION", "65536 characters");
  assert.equal((await send(65_000)).status, 201);
});
