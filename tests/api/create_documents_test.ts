import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  type Doc,
  NOBODY,
  ok,
  refused,
  type TestCollection,
  times,
} from "./test_collection.ts";

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
      refused(await collection.asSecret(among({ slug: "taken" })), 409, "DUPLICATE_VALUE", place);
      const large = { x: "x".repeat(1_048_576) };
      refused(await collection.asSecret(among(large)), 413, "DOCUMENT_TOO_LARGE", place);
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

/** A collection with a unique field of each kind, and a unique pair. */
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

/** Sends them, and tells what the refusal says. */
async function duplicates(collection: TestCollection, body: unknown) {
  let told = { message: "", faults: [] as { path: string; message: string }[] };
  await collection.untouched(async () => {
    const answer = await collection.asSecret(bulk(body));
    refused(answer, 409, "DUPLICATE_VALUE");
    told = answer.body;
  });
  return { message: told.message, paths: told.faults.map(({ path }) => path) };
}

Deno.test("every document with a taken value is named, whichever unique field it is in", async () => {
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

Deno.test("of documents of one bulk that share a value, all but the first are named with it", async () => {
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

Deno.test("of many documents with taken values the first ten are named", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, UNIQUE);
  const taken = times(100, (n) => ({ slug: `s${n}`, team: `t${n}`, isLead: true }));
  ok(await collection.asSecret(bulk(taken)), 201);
  const { message, paths } = await duplicates(collection, taken);
  assert.deepEqual(
    paths,
    times(10, (n) => ["slug", "team", "isLead"].map((name) => `${n}.${name}`)).flat(),
  );
  assert.match(message, /together\. The documents behind it were not looked at\.$/);
});
