import assert from "node:assert/strict";
import { systemClock } from "../clock.ts";
import type { BlobStores } from "../files/stores.ts";
import type { Caller } from "../auth/principals.ts";
import type { Engine } from "../store/port.ts";
import { compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { AnswerSize } from "./answer_size.ts";
import type { PopulateServices } from "./populate.ts";
import { isPlain, openPresenter } from "./present.ts";
import { parseDocumentQuery, type Presentation } from "./query.ts";

const CALLER: Caller = { kind: "secret", projectId: "66f1a0c2e4b0a1b2c3d4e5f6" };
const collection = compileCollection(
  parseDefinition({ name: "posts", rls: { enabled: false }, fields: [] }),
);

/** Services without a store, because the tests do not follow references. */
const services: PopulateServices = {
  engine: null as unknown as Engine,
  catalog: {
    find: () => Promise.reject(new Error("asked")),
    names: () => Promise.reject(new Error("asked")),
    forget() {},
  },
  userFields: { ofProject: () => [] },
  clock: systemClock,
  blobStores: null as unknown as BlobStores,
  slowQuestions: { watch: () => Promise.reject(new Error("asked")) },
};

const presentation = (query: string): Presentation => parseDocumentQuery(collection, query);

const present = async (texts: readonly string[], query: string): Promise<string> => {
  const size = new AnswerSize();
  const input = { collection, presentation: presentation(query), size };
  const presentTexts = await openPresenter(services, CALLER, input);
  return (await presentTexts(texts)).join(",");
};

const presented = (query: string, ...documents: unknown[]) =>
  present(documents.map((document) => JSON.stringify(document)), query);

const POST = {
  _id: "66f1a0c2e4b0a1b2c3d4e5f6",
  title: "a",
  place: { city: "Bonn", geo: { lat: 50, lng: 7 } },
  tags: [{ name: "x" }],
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
  isDeleted: false,
  deletedAt: null,
};

const { _id, title, place, tags, createdAt, updatedAt, isDeleted, deletedAt } = POST;
const meta = { createdAt, updatedAt, isDeleted, deletedAt };

Deno.test("isPlain is true only without projection, populate and meta=false", () => {
  assert.equal(isPlain(presentation("")), true);
  assert.equal(isPlain(presentation("meta=true&include_deleted=true")), true);
  for (const query of ["fields=title", "fields=-title", "meta=false"]) {
    assert.equal(isPlain(presentation(query)), false, query);
  }
  assert.equal(isPlain({ projection: null, meta: true, populate: ["author"] }), false);
});

Deno.test("plain documents are returned byte for byte, without parsing", async () => {
  const texts = ['{"_id":"a","n":1.0,"big":123456789012345678901}', '{"not json'];
  assert.equal(await present(texts, ""), texts.join(","));
});

Deno.test("an empty page stays empty", async () => {
  assert.equal(await presented("fields=title"), "");
});

Deno.test("fields picks the named fields and always the id", async () => {
  assert.equal(await presented("fields=title", POST), JSON.stringify({ _id, title }));
  assert.equal(await presented("fields=_id", POST), JSON.stringify({ _id }));
  assert.equal(
    await presented("fields=title,createdAt", POST),
    JSON.stringify({ _id, title, createdAt }),
  );
  assert.equal(await presented("fields=missing,toString", POST), JSON.stringify({ _id }));
});

Deno.test("fields with a dotted path picks a part of an object", async () => {
  const parts = JSON.parse(await presented("fields=place.city,place.geo.lng", POST));
  assert.deepEqual(parts, { _id, place: { city: "Bonn", geo: { lng: 7 } } });
  assert.deepEqual(JSON.parse(await presented("fields=place,place.city", POST)), { _id, place });
  assert.deepEqual(JSON.parse(await presented("fields=place.city,place", POST)), { _id, place });
  assert.deepEqual(JSON.parse(await presented("fields=title.x,tags.name", POST)), { _id });
});

Deno.test("fields with a minus are left out, except the id", async () => {
  const rest = JSON.parse(await presented("fields=-title,-place.geo,-_id,-missing", POST));
  assert.deepEqual(rest, { _id, place: { city: "Bonn" }, tags, ...meta });
  assert.deepEqual(JSON.parse(await presented("fields=-place.geo.lat,-title.x,-tags.name", POST)), {
    ...POST,
    place: { city: "Bonn", geo: { lng: 7 } },
  });
});

Deno.test("meta=false leaves out the server fields, but not fields of nested objects", async () => {
  const nested = { ...POST, place: { createdAt: 1 } };
  assert.deepEqual(JSON.parse(await presented("meta=false", nested)), {
    _id,
    title,
    place: { createdAt: 1 },
    tags,
  });
  assert.deepEqual(JSON.parse(await presented("meta=false&fields=title,createdAt", POST)), {
    _id,
    title,
  });
});

Deno.test("all documents of a page are presented alike, in their order", async () => {
  const page = await presented("fields=title", { _id: "1", title: "x", y: 1 }, { _id: "2" });
  assert.equal(page, '{"_id":"1","title":"x"},{"_id":"2"}');
});

Deno.test("numbers keep their value and sign in a projection", async () => {
  const numbers = '{"_id":"a","n":[-0.0,5e-324,1.7976931348623157e308,0.1],"x":1}';
  const text = await present([numbers], "fields=n");
  assert.equal(text, '{"_id":"a","n":[-0,5e-324,1.7976931348623157e+308,0.1]}');
});
