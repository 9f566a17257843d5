import { BSON, type Document } from "mongodb";
import assert from "node:assert/strict";
import { startMongodb } from "../services/mongodb_server.ts";
import { createApp } from "@/routes/app.ts";
import { type Doc, testCollectionOf } from "../api/test_collection.ts";
import { faultTest, openFixture } from "./fixture.ts";

const { Binary, BSONRegExp, Code, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } = BSON;
const { Timestamp, UUID } = BSON;

const SOME_UUID = new UUID("c0ffee00-af2d-4fc1-9f69-f7b1c2d3e4f5");

/** Returns a date that BSON supports and JavaScript does not. */
const beyond = (milliseconds: number) =>
  Object.assign(new Date(0), { getTime: () => milliseconds });

const NUMBERS = [
  ...[0, -1.5, 1e300, NaN, Infinity, -Infinity, new Double(2), Decimal128.fromString("1.5")],
  ...[Decimal128.fromString("NaN"), Long.fromString("7")],
  ...["9007199254740992", "9007199254740993", "-9223372036854775808"].map((one) =>
    Long.fromString(one)
  ),
];

const DATES = [
  ...["0001-01-01T00:00:00Z", "1800-02-28T00:00:00.001Z", "2101-01-01T00:00:00Z"]
    .map((text) => new Date(text)),
  ...[8.64e15, -8.64e15].map((milliseconds) => new Date(milliseconds)),
  ...[9e15, 9e15 + 1, -9e15].map(beyond),
];

/** Values of every type for a field by which lists are sorted. */
const VALUES: readonly unknown[] = [
  ...NUMBERS,
  ...DATES,
  ...[null, true, false, "", "a", "é", "1.5", "2101-01-01T00:00:00.000Z", "0".repeat(24)],
  // The driver sends such a name only from a map.
  new Map<string, unknown>([["_bsontype", "Long"], ["a", [new Map([["_bsontype", "none such"]])]]]),
  ...[{}, { a: 1 }, { a: { b: [1] } }, new ObjectId(), new MinKey(), new MaxKey()],
  ...[new Binary(Uint8Array.of(1, 2, 3)), SOME_UUID, new Binary(Uint8Array.of(), 128)],
  ...[new Timestamp({ t: 1, i: 2 }), new Timestamp({ t: 4294967295, i: 0 })],
  ...[new BSONRegExp("a/b", "i"), new BSONRegExp("", ""), new Code("f()")],
];

/** Types that servers sort differently, or not at all. */
const UNSORTED: readonly unknown[] = [
  new Code("f", { a: 1 }),
  ...[[], [[]], [1, [new MaxKey(), [{ a: [SOME_UUID] }]], NaN], new BSON.BSONSymbol("symbol")],
];

const IDS: readonly unknown[] = [
  ...["abc", "", "0".repeat(24), 5, 5.5, Long.fromString("9007199254740993"), true, false],
  ...[SOME_UUID, new Binary(Uint8Array.of(9)), new Date(0), { a: 1 }, Decimal128.fromString("7")],
  ...[new Timestamp({ t: 1, i: 1 }), new MinKey(), new MaxKey(), new Code("f")],
];

const FIELDS = [
  { key: "rank", type: "Number", index: true },
  { key: "title", type: "String", index: true },
  { key: "at", type: "Date" },
  { key: "live", type: "Boolean" },
];

const inEveryField = (value: unknown): Document => ({
  rank: value,
  title: value,
  at: value,
  live: value,
});

/** Returns the documents of the other program, each with its own name `n`. */
function foreignDocuments(): Document[] {
  const odd = VALUES.map((value, i) => ({
    ...inEveryField(value),
    v: value,
    _id: new ObjectId(),
    n: i,
  }));
  const unsorted = UNSORTED.map((v, i) => ({ _id: new ObjectId(), v, n: `unsorted ${i}` }));
  const missing = { _id: new ObjectId(), n: "missing" };
  const named = IDS.flatMap((_id, i) => [{ _id, n: `id ${i}`, rank: i % 3, title: "a" }]);
  // These are too long for a cursor.
  const long = [...IDS.slice(0, 5), new ObjectId()].map((id, i) => ({
    _id: id instanceof ObjectId ? id : `long ${id}`,
    n: `long ${i}`,
    title: `${i} `.repeat(2500),
    rank: i === 2 ? Decimal128.fromString("2.5") : i,
  }));
  return [...odd, ...unsorted, missing, ...named, ...long].map((one) => ({
    ...one,
    isDeleted: false,
  }));
}

interface ForeignDocuments extends AsyncDisposable {
  /** Lists documents. An `_id` may have a form that Corbel does not generate. */
  // deno-lint-ignore no-explicit-any -- As in answers: tests look into data of every shape.
  read(query: string): Promise<any>;
  status(path: string): Promise<number>;
  readonly documents: readonly Document[];
  /** Number of documents, including those that Corbel wrote. */
  readonly total: number;
}

async function openForeignDocuments(): Promise<ForeignDocuments> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startMongodb());
  const { app, project, stored } = opening.use(await openFixture(server));
  await project.collection({ name: "others", fields: FIELDS, rls: { enabled: false } });
  const own = await testCollectionOf(app, project, "others").insert(
    { n: "own 0", rank: 1, title: "a", at: "2026-01-01", live: true },
    { n: "own 1", rank: 1, title: "b", at: "2026-01-01", live: false },
    { n: "own 2", rank: 1e300, title: null },
    { n: "own 3" },
  );
  const documents = foreignDocuments();
  await (await stored("others")).insertMany(documents);
  const served = createApp(app.services);
  const headers = { "x-api-key": project.secretKey };
  const opened = opening.move();
  const ask = async (path: string) => {
    const request = new Request(`http://localhost:8000/api/data/others${path}`, { headers });
    return await served.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
  };
  return {
    async read(query) {
      const answer = await ask(`?${query}`);
      const { data, message } = await answer.json();
      assert.equal(answer.status, 200, `${query}: ${message}`);
      return data;
    },
    async status(path) {
      const answer = await ask(path);
      await answer.body?.cancel();
      return answer.status;
    },
    documents,
    total: own.length + documents.length,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

faultTest("documents of other programs with any values are each listed once", async () => {
  await using others = await openForeignDocuments();
  const { read, total } = others;
  const namesOf = (items: readonly Doc[]) => items.map((item) => item.n);

  /** Returns the documents that the cursors lead to from a page on, in the order of the list. */
  async function followCursors(
    query: string,
    from: string | null,
    way: "nextCursor" | "prevCursor",
  ) {
    const pages: unknown[][] = [];
    for (let cursor = from; cursor !== null;) {
      assert.ok(pages.length <= total, `${query} repeats pages`);
      const page = await read(`${query}&cursor=${cursor}`);
      pages.push(namesOf(page.items));
      cursor = page[way];
    }
    return (way === "nextCursor" ? pages : pages.reverse()).flat();
  }

  const sorts = ["-createdAt", "_id", "-_id", "rank", "-rank", "title", "-title", "at", "-at"];
  for (const sort of [...sorts, "live", "-live", "title,-rank", "-live,at", "updatedAt"]) {
    const completeList = await read(`sort=${sort}&limit=1000`);
    const names = namesOf(completeList.items);
    assert.deepEqual([names.length, new Set(names).size, completeList.total], [
      total,
      total,
      total,
    ]);
    for (const limit of [1, 4]) {
      const asked = `sort=${sort}&limit=${limit}&total=none`;
      const start = await read(asked);
      const onwards = await followCursors(asked, start.nextCursor, "nextCursor");
      assert.deepEqual([...namesOf(start.items), ...onwards], names, `${asked} forwards`);
      const end = await read(`${asked}&page=${Math.ceil(total / limit)}`);
      const back = await followCursors(asked, end.prevCursor, "prevCursor");
      assert.deepEqual([...back, ...namesOf(end.items)], names, `${asked} backwards`);
    }
  }
});

faultTest("every kind of read of documents of other programs succeeds", async () => {
  await using others = await openForeignDocuments();
  const { read, status, documents, total } = others;
  const count = async (query: string) => (await read(`count=true&${query}`)).count;
  assert.equal(await count(""), total);
  const ids = documents.flatMap(({ _id }) => _id instanceof ObjectId ? [_id.toHexString()] : []);
  // Only ObjectIds match ids.
  const matching = total - documents.filter(({ _id }) => !(_id instanceof ObjectId)).length;
  for (const query of ["_id_regex=.", "_id_gt=!", "_id_lt=zzz", `_id_gte=${"0".repeat(24)}`]) {
    assert.equal(await count(query), matching, query);
  }
  assert.equal(await count(`_id=${"0".repeat(24)}`), 0);
  assert.equal(await count(`_id_ne=${"0".repeat(24)}`), total);
  for (const id of ids) assert.equal(await status(`/${id}`), 200);
  assert.equal(await status(`/${"0".repeat(24)}`), 404);
  const queries = [
    ...["fields=v", "fields=-v,-title", "meta=false", "explain=true", "include_deleted=true"],
    ...["rank_gt=1", "rank_lt=1", "title_regex=.", "at_lte=2026-01-01", "live_ne=true", "v=1"],
    ...[
      "v_exists=true",
      "v.a_exists=true",
      "v_nin=1,2",
      "title_in=a,b",
      "_id=abc",
      "total=estimate",
    ],
  ];
  for (const query of queries) {
    for (const sort of ["_id", "-rank"]) await read(`${query}&limit=500&sort=${sort}`);
  }
});
