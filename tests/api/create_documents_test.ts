import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  type TestCollection,
  times,
  UNKNOWN_ID,
} from "./test_collection.ts";

const bulk = (body: unknown) => ({ path: "/bulk", body });

Deno.test("createDocuments stores documents in their order and returns their ids", async () => {
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

Deno.test("createDocuments stores nothing if one of a hundred documents is invalid, and names it", async () => {
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
      refused(await collection.asSecret(among({ slug: "taken" })), 409, "DUPLICATE_VALUE", place);
      const large = { x: "x".repeat(1_048_576) };
      refused(await collection.asSecret(among(large)), 413, "DOCUMENT_TOO_LARGE", place);
    }
  });
});

Deno.test("createDocuments refuses a body that is not a list of documents", async () => {
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

Deno.test("createDocuments follows row-level security, and a refusal stores nothing", async () => {
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
      const owned = ok(await collection.asSecret({ path: `?userId=${ann.id}` }));
      assert.equal(owned.total, 2);
    }
  }
});

Deno.test("createDocuments is 404 for an unknown collection", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answer = await project.asSecret({ path: "/api/data/nothing/bulk", body: [{}] });
  refused(answer, 404, "COLLECTION_NOT_FOUND");
});

Deno.test("documents of one bulk have one creation time and ids in their order", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  ok(await collection.asSecret(bulk(times(100, (n) => ({ n })))), 201);
  const { items } = ok(await collection.asSecret({ path: "?sort=_id" })) as { items: Doc[] };
  assert.equal(new Set(items.map(({ createdAt }) => createdAt)).size, 1);
  // The three counter bytes of ids may wrap around in the middle of a bulk.
  const misplaced = items.filter(({ n }, i) => n !== ((items[0]!.n as number) + i) % 100);
  assert.deepEqual(misplaced, []);
});

Deno.test("concurrent bulks do not mix: each is stored completely or not at all", async () => {
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

Deno.test("createDocuments names every invalid document with its paths, and stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number", required: true }, { key: "at", type: "Date" }],
    strict: true,
  });
  const good = { n: 1 };
  const bad = [good, { n: "a", at: "soon" }, good, {}, 5, { n: 1, _id: UNKNOWN_ID }];
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

Deno.test("createDocuments names the first ten invalid documents and checks no more", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const documents = times(100, (i) => i < 90 ? { n: 1 } : { n: "a" });
  const refusalOf = async (body: unknown[]) => {
    const answer = await collection.asSecret({ path: "/bulk", body });
    refused(answer, 400, "INVALID_DOCUMENT");
    return answer.body as { message: string; faults: unknown[] };
  };
  await collection.untouched(async () => {
    const last = await refusalOf(documents);
    assert.equal(last.faults.length, 10);
    assert.doesNotMatch(last.message, /not checked/);
    const first = await refusalOf(documents.toReversed());
    assert.equal(first.faults.length, 10);
    assert.match(first.message, /documents\[9\]: .* The documents after it were not checked\.$/);
  });
});

const UNIQUE = {
  fields: [
    { key: "slug", type: "String", unique: true },
    { key: "code", type: "Number", unique: true },
    { key: "day", type: "Date", unique: true },
    { key: "team", type: "String" },
    { key: "isLead", type: "Boolean" },
  ],
  indexes: [{ fields: ["team", "-isLead"], unique: true }],
};

/** Sends a bulk that must be refused as a duplicate, and returns the message and the paths. */
async function duplicates(collection: TestCollection, body: unknown) {
  let refusal = { message: "", faults: [] as { path: string; message: string }[] };
  await collection.untouched(async () => {
    const answer = await collection.asSecret(bulk(body));
    refused(answer, 409, "DUPLICATE_VALUE");
    refusal = answer.body;
  });
  return { message: refusal.message, paths: refusal.faults.map(({ path }) => path) };
}

Deno.test("createDocuments names every document with a taken value, in every unique field", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, UNIQUE);
  await collection.insert(
    { slug: "one", code: 0 },
    { day: "2026-01-31" },
    { team: "red", isLead: true },
  );
  const { _id } = await collection.insertOne({ slug: "in the trash" });
  await collection.remove(_id);
  const body = [
    { team: "red", isLead: true },
    { slug: "in the trash", team: "red", isLead: false },
    { slug: "one", code: -0 },
    { team: "red", isLead: null },
    { slug: null },
    { day: "2026-01-31T01:00:00+01:00" },
  ];
  for (const [sent, prefix] of [[body, ""], [{ documents: body }, "documents."]] as const) {
    const { message, paths } = await duplicates(collection, sent);
    assert.equal(
      message,
      'documents[0]: Another document already has these values in "team" and "isLead" together. ' +
        'documents[2]: Another document already has this value in the unique field "slug". ' +
        'Another document already has this value in the unique field "code". ' +
        'documents[5]: Another document already has this value in the unique field "day".',
    );
    const named = ["0.team", "0.isLead", "2.slug", "2.code", "5.day"];
    assert.deepEqual(paths, named.map((path) => prefix + path));
  }
});

Deno.test("createDocuments names all but the first document of a bulk with one unique value", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, UNIQUE);
  const pair = { team: "red", isLead: false };
  const body = [{}, { slug: "a", ...pair }, { slug: "b" }, { slug: "a" }, { slug: "a" }, pair];
  const { message, paths } = await duplicates(collection, body);
  assert.equal(
    message,
    'documents[3]: documents[1] already has this value in the unique field "slug". ' +
      'documents[4]: documents[1] already has this value in the unique field "slug". ' +
      'documents[5]: documents[1] already has these values in "team" and "isLead" together.',
  );
  assert.deepEqual(paths, ["3.slug", "4.slug", "5.team", "5.isLead"]);
});

Deno.test("createDocuments names the first ten documents with taken values", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, UNIQUE);
  const taken = times(100, (n) => ({ slug: `s${n}`, team: `t${n}`, isLead: true }));
  ok(await collection.asSecret(bulk(taken)), 201);
  const { message, paths } = await duplicates(collection, taken);
  assert.deepEqual(
    paths,
    times(10, (n) => ["slug", "team", "isLead"].map((name) => `${n}.${name}`)).flat(),
  );
  assert.match(message, /together\. The documents after it were not checked\.$/);
});
