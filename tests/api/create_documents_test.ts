import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, NOBODY, ok, refused, times } from "./test_collection.ts";

const bulk = (body: unknown) => ({ path: "/bulk", body });

Deno.test("many documents are stored in their order, and their ids answered", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const body of [times(3, (n) => ({ n })), { documents: times(3, (n) => ({ n })) }]) {
    const answer = await collection.asSecret(bulk(body));
    const { insertedCount, ids } = ok(answer, 201);
    assert.equal(answer.body.message, "Documents created");
    assert.equal(insertedCount, 3);
    const read = await Promise.all((ids as string[]).map((id) => collection.read(id)));
    assert.deepEqual(read.map(({ body }) => body.data.n), [0, 1, 2]);
  }
});

Deno.test("one bad document among a hundred stores none of them, and is named", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "title", type: "String" },
      { key: "slug", type: "String", unique: true },
    ],
  });
  await collection.insertOne({ slug: "taken" });
  const good = times(99, (n) => ({ slug: `s${n}` }));
  await collection.untouched(async () => {
    for (const at of [0, 50, 99]) {
      const among = (one: unknown) => bulk([...good.slice(0, at), one, ...good.slice(at)]);
      const place = `documents[${at}]`;
      refused(await collection.asSecret(among({ title: 1 })), 400, "INVALID_DOCUMENT", place);
      refused(await collection.asSecret(among({ $set: 1 })), 400, "INVALID_DOCUMENT", place);
      refused(await collection.asSecret(among({ isDeleted: true })), 400, "FIELD_READ_ONLY", place);
      refused(await collection.asSecret(among([])), 400, "INVALID_BODY", place);
      refused(await collection.asSecret(among(null)), 400, "INVALID_BODY", place);
      refused(await collection.asSecret(among({ slug: "taken" })), 409, "DUPLICATE_VALUE");
      const large = { x: "x".repeat(1_048_576) };
      refused(await collection.asSecret(among(large)), 413, "DOCUMENT_TOO_LARGE");
    }
  });
});

Deno.test("a body that is no list of documents stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.untouched(async () => {
    const bodies = [{}, { n: 1 }, { documents: {} }, { documents: null }, null, 1, "text", [[{}]]];
    for (const body of bodies) {
      const answer = await collection.asSecret(bulk(JSON.stringify(body)));
      refused(answer, 400, "INVALID_BODY");
    }
    refused(await collection.asSecret(bulk("[{}")), 400, "INVALID_JSON");
    refused(await collection.asSecret(bulk("")), 400, "INVALID_JSON");
    const text = { ...bulk("[{}]"), headers: { "content-type": "text/plain" } };
    refused(await collection.asSecret(text), 415, "UNSUPPORTED_MEDIA_TYPE");
  });
});

Deno.test("row-level security decides who creates many, and a refusal stores nothing", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { mode: "public-read" }, { mode: "private" }]) {
    const collection = await createTestCollection(app, { rls });
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    await collection.untouched(async () => {
      const keyOnly = await collection.asPublic(bulk([{}]));
      if ("enabled" in rls) {
        refused(keyOnly, 403, "RLS_REQUIRED");
        refused(await collection.asPublic(bulk([{}]), ann), 403, "RLS_REQUIRED");
      } else {
        refused(keyOnly, 401, "ACCESS_TOKEN_REQUIRED");
        const mixed = bulk([{}, { userId: bob.id }, {}]);
        refused(await collection.asPublic(mixed, ann), 403, "OWNER_MISMATCH", "documents[1]");
      }
    });
    if (!("enabled" in rls)) {
      ok(await collection.asPublic(bulk([{}, { userId: ann.id }]), ann), 201);
      const mine = ok(await collection.asSecret({ path: `?userId=${ann.id}` }));
      assert.equal(mine.total, 2);
    }
  }
});

Deno.test("a collection that does not exist is 404", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answer = await project.asSecret({ path: "/api/data/nothing/bulk", body: [{}] });
  refused(answer, 404, "COLLECTION_NOT_FOUND");
});

Deno.test("documents of one bulk share their time and keep their order by id", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  ok(await collection.asSecret(bulk(times(100, (n) => ({ n })))), 201);
  const { items } = ok(await collection.asSecret({ path: "?sort=_id" })) as { items: Doc[] };
  assert.equal(new Set(items.map(({ createdAt }) => createdAt)).size, 1);
  // The three counting bytes of ids may run over in the middle of a bulk.
  const turns = items.filter(({ n }, i) => n !== ((items[0]!.n as number) + i) % 100);
  assert.deepEqual(turns, []);
});

Deno.test("bulks that run at once do not mix: each is stored whole or not at all", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "slug", type: "String", unique: true }],
  });
  const answers = await Promise.all(
    times(
      20,
      (batch) =>
        collection.asSecret(bulk([{ batch }, { batch, slug: `s${batch % 5}` }, { batch }])),
    ),
  );
  const won = answers.flatMap(({ status }, batch) => status === 201 ? [batch] : []);
  assert.equal(won.length, 5);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    refused(answer, 409, "DUPLICATE_VALUE");
  }
  const { items } = ok(await collection.asSecret({})) as { items: Doc[] };
  assert.equal(items.length, 15);
  assert.deepEqual([...new Set(items.map(({ batch }) => batch))].sort(), won.sort());
});

Deno.test("every faulty document is named, with the paths of its faults, and none is stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number", required: true }, { key: "at", type: "Date" }],
    strict: true,
  });
  const good = { n: 1 };
  const bad = [good, { n: "a", at: "soon" }, good, {}, 5, { n: 1, _id: NOBODY }];
  await collection.untouched(async () => {
    for (const [body, prefix] of [[{ documents: bad }, "documents."], [bad, ""]] as const) {
      const answer = await collection.asSecret({ path: "/bulk", body });
      refused(answer, 400, "INVALID_DOCUMENT", /^documents\[1\]: .*"n" must be a Number/);
      for (const at of [3, 4, 5]) {
        assert.match(answer.body.message, new RegExp(` documents\\[${at}\\]: `));
      }
      assert.doesNotMatch(answer.body.message, /documents\[[02]\]/);
      const paths = answer.body.faults.map(({ path }: { path: string }) => path);
      assert.deepEqual(paths, ["1.n", "1.at", "3.n", "4", "5._id"].map((path) => prefix + path));
    }
  });
});

Deno.test("of many faulty documents the first ten are named, and what follows is not looked at", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const documents = times(100, (i) => i < 90 ? { n: 1 } : { n: "a" });
  const told = async (body: unknown[]) => {
    const answer = await collection.asSecret({ path: "/bulk", body });
    refused(answer, 400, "INVALID_DOCUMENT");
    return answer.body as { message: string; faults: unknown[] };
  };
  await collection.untouched(async () => {
    const last = await told(documents);
    assert.equal(last.faults.length, 10);
    assert.doesNotMatch(last.message, /not looked at/);
    const first = await told(documents.toReversed());
    assert.equal(first.faults.length, 10);
    assert.match(first.message, /documents\[9\]: .* The documents behind it were not looked at\.$/);
  });
});
