import assert from "node:assert/strict";
import { systemClock } from "../clock.ts";
import type { BlobStores } from "../files/stores.ts";
import type { Caller } from "../auth/principals.ts";
import type { Engine } from "../store/port.ts";
import { compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { AnswerSize } from "./answer_size.ts";
import type { PopulateServices } from "./populate.ts";
import { isPlain, presenter } from "./present.ts";
import { parseDocumentQuery, type Presentation } from "./query.ts";

const CALLER: Caller = { kind: "secret", projectId: "66f1a0c2e4b0a1b2c3d4e5f6" };
const collection = compileCollection(
  parseDefinition({ name: "posts", rls: { enabled: false }, fields: [] }),
);

/** Nothing is asked of the store: no reference is followed here. */
const services: PopulateServices = {
  engine: null as unknown as Engine,
  catalog: {
    find: () => Promise.reject(new Error("asked")),
    names: () => Promise.reject(new Error("asked")),
    forget() {},
  },
  userFields: { of: () => [] },
  clock: systemClock,
  blobStores: null as unknown as BlobStores,
  slowQuestions: { watch: () => Promise.reject(new Error("asked")) },
};

const presentation = (query: string): Presentation => parseDocumentQuery(collection, query);

const present = async (texts: readonly string[], query: string): Promise<string> => {
  const size = new AnswerSize();
  const shown = { collection, presentation: presentation(query), size };
  const show = await presenter(services, CALLER, shown);
  return (await show(texts)).join(",");
};

const shown = (query: string, ...documents: unknown[]) =>
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

Deno.test("only what asks for nothing special is shown just as it is stored", () => {
  assert.equal(isPlain(presentation("")), true);
  assert.equal(isPlain(presentation("meta=true&include_deleted=true")), true);
  for (const query of ["fields=title", "fields=-title", "meta=false"]) {
    assert.equal(isPlain(presentation(query)), false, query);
  }
  assert.equal(isPlain({ projection: null, meta: true, populate: ["author"] }), false);
});

Deno.test("what is shown as stored is passed on byte for byte, never parsed", async () => {
  const texts = ['{"_id":"a","n":1.0,"big":123456789012345678901}', '{"not json'];
  assert.equal(await present(texts, ""), texts.join(","));
});

Deno.test("an empty page is an empty page", async () => {
  assert.equal(await shown("fields=title"), "");
});

Deno.test("named fields are shown, and the id always", async () => {
  assert.equal(await shown("fields=title", POST), JSON.stringify({ _id, title }));
  assert.equal(await shown("fields=_id", POST), JSON.stringify({ _id }));
  assert.equal(
    await shown("fields=title,createdAt", POST),
    JSON.stringify({ _id, title, createdAt }),
  );
  assert.equal(await shown("fields=missing,toString", POST), JSON.stringify({ _id }));
});

Deno.test("a dotted path shows a part of an object", async () => {
  const parts = JSON.parse(await shown("fields=place.city,place.geo.lng", POST));
  assert.deepEqual(parts, { _id, place: { city: "Bonn", geo: { lng: 7 } } });
  assert.deepEqual(JSON.parse(await shown("fields=place,place.city", POST)), { _id, place });
  assert.deepEqual(JSON.parse(await shown("fields=place.city,place", POST)), { _id, place });
  assert.deepEqual(JSON.parse(await shown("fields=title.x,tags.name", POST)), { _id });
});

Deno.test("fields with a minus are left out, the id never", async () => {
  const rest = JSON.parse(await shown("fields=-title,-place.geo,-_id,-missing", POST));
  assert.deepEqual(rest, { _id, place: { city: "Bonn" }, tags, ...meta });
  assert.deepEqual(JSON.parse(await shown("fields=-place.geo.lat,-title.x,-tags.name", POST)), {
    ...POST,
    place: { city: "Bonn", geo: { lng: 7 } },
  });
});

Deno.test("meta=false leaves out the four server-owned fields, not those of objects", async () => {
  const nested = { ...POST, place: { createdAt: 1 } };
  assert.deepEqual(JSON.parse(await shown("meta=false", nested)), {
    _id,
    title,
    place: { createdAt: 1 },
    tags,
  });
  assert.deepEqual(JSON.parse(await shown("meta=false&fields=title,createdAt", POST)), {
    _id,
    title,
  });
});

Deno.test("every document of a page is shown alike, in its order", async () => {
  const page = await shown("fields=title", { _id: "1", title: "x", y: 1 }, { _id: "2" });
  assert.equal(page, '{"_id":"1","title":"x"},{"_id":"2"}');
});

Deno.test("numbers keep their value and sign when a part is shown", async () => {
  const numbers = '{"_id":"a","n":[-0.0,5e-324,1.7976931348623157e308,0.1],"x":1}';
  const text = await present([numbers], "fields=n");
  assert.equal(text, '{"_id":"a","n":[-0,5e-324,1.7976931348623157e+308,0.1]}');
});
