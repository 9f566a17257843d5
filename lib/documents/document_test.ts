import assert from "node:assert/strict";
import {
  PathConflict,
  RecordTooLarge,
  StoreUnavailable,
  UniqueViolation,
} from "../store/errors.ts";
import type { Problem } from "../problems.ts";
import type { Json, Records, Stored } from "../store/port.ts";
import type { WriteAccess } from "./access.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { creationProblem } from "./prepare_write.ts";
import { parseDefinition } from "./definition.ts";
import {
  asMembers,
  checkOwnerUnchanged,
  etagOf,
  type Members,
  refusalOf,
  refuseFaults,
  validateDocument,
  withoutServerFields,
  withOwner,
} from "./document.ts";

const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER_USER = "bbbbbbbbbbbbbbbbbbbbbbbb";

const collection = (fields: unknown, parts: Record<string, unknown> = {}) =>
  compileCollection(parseDefinition({ name: "posts", fields, strict: false, ...parts }));

/** Where somebody writes; the store is out of reach. */
const target = (ownerId: string | null, parts: Record<string, unknown> = {}): WriteAccess => ({
  collection: collection([], parts),
  records: null as unknown as Records<StoredDocument>, // Nothing here reads or writes.
  projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
  callerTag: "",
  visible: () => ({ op: "and", of: [] }),
  ownerId,
  by: { actor: { kind: "key", id: null }, at: "2026-01-01T00:00:00.000Z" },
  caller: { kind: "secret", projectId: "66f1a0c2e4b0a1b2c3d4e5f6" },
});

Deno.test("a body must be one object", () => {
  const members = { a: 1 };
  assert.equal(asMembers(members), members);
  for (const body of [null, [], [{}], "a", 1, true] as Json[]) {
    assert.throws(() => asMembers(body), { code: "INVALID_BODY" });
  }
});

Deno.test("a tag is strong, and differs where the text differs", () => {
  const tag = etagOf({ json: '{"_id":"a"}' });
  assert.match(tag, /^"[A-Za-z0-9_-]{27}"$/);
  assert.equal(etagOf({ json: '{"_id":"a"}' }), tag);
  assert.notEqual(etagOf({ json: '{"_id":"b"}' }), tag);
});

Deno.test("defaults fill what is missing, but not what is null", () => {
  const filled = collection([
    { key: "status", type: "String", default: "draft" },
    { key: "views", type: "Number", default: 0 },
    { key: "on", type: "Date", default: "2026-01-31" },
    { key: "place", type: "Object", fields: [{ key: "city", type: "String", default: "Bonn" }] },
  ]);
  assert.deepEqual(validateDocument(filled, {}), {
    status: "draft",
    views: 0,
    on: "2026-01-31T00:00:00.000Z",
  });
  assert.deepEqual(validateDocument(filled, { status: null, views: 5, on: null, place: {} }), {
    status: null,
    views: 5,
    on: null,
    place: { city: "Bonn" },
  });
});

Deno.test("defaults fill the objects of a list too", () => {
  const item = { type: "Object", fields: [{ key: "n", type: "Number", default: 1 }] };
  const listed = collection([{ key: "list", type: "Array", items: item }]);
  assert.deepEqual(validateDocument(listed, { list: [{}, { n: 2 }] }), {
    list: [{ n: 1 }, { n: 2 }],
  });
});

Deno.test("defaults fill an object that is itself a default", () => {
  const fields = [{ key: "n", type: "Number", default: 1 }];
  const filled = collection([{ key: "o", type: "Object", fields, default: {} }]);
  assert.deepEqual(validateDocument(filled, { o: {} }), { o: { n: 1 } });
  assert.deepEqual(validateDocument(filled, {}), { o: { n: 1 } });
});

Deno.test("one document's default is not another's", () => {
  const filled = collection([{ key: "o", type: "Object", default: { list: [1] } }]);
  const [one, other] = [validateDocument(filled, {}), validateDocument(filled, {})];
  (one.o as { list: number[] }).list.push(2);
  assert.deepEqual(other, { o: { list: [1] } });
});

Deno.test("a required field must be there and not null, unless its default fills it", () => {
  const required = collection([{ key: "title", type: "String", required: true }]);
  assert.deepEqual(validateDocument(required, { title: "" }), { title: "" });
  for (const members of [{}, { title: null }, { Title: "a" }]) {
    assert.throws(() => validateDocument(required, members), {
      code: "INVALID_DOCUMENT",
      message: 'The field "title" is required.',
    });
  }
  const filled = collection([{ key: "n", type: "Number", required: true, default: 0 }]);
  assert.deepEqual(validateDocument(filled, {}), { n: 0 });
  assert.throws(() => validateDocument(filled, { n: null }), { code: "INVALID_DOCUMENT" });
});

Deno.test("a required field may be called like something every object inherits", () => {
  for (const key of ["toString", "valueOf", "hasOwnProperty"]) {
    const required = collection([{ key, type: "String", required: true }]);
    assert.throws(() => validateDocument(required, {}), { code: "INVALID_DOCUMENT" }, key);
  }
});

Deno.test("a refusal names every fault and its field", () => {
  const typed = collection([{ key: "n", type: "Number" }], { strict: true });
  assert.throws(() => validateDocument(typed, { n: "1", x: 1 }), {
    code: "INVALID_DOCUMENT",
    message: 'The field "n" must be a Number. The field "x" is not declared.',
  });
  refuseFaults([]);
  assert.throws(() => refuseFaults([{ path: "", message: "is odd" }]), {
    message: "The document is odd.",
  });
});

Deno.test("a signed-in user owns the document they create", () => {
  assert.deepEqual(withOwner(target(USER), { a: 1 }), { a: 1, userId: USER });
  assert.deepEqual(withOwner(target(USER), { userId: USER }), { userId: USER });
  const author = { rls: { ownerField: "author" } };
  assert.deepEqual(withOwner(target(USER, author), {}), { author: USER });
});

Deno.test("a signed-in user cannot make a document for anybody else", () => {
  for (const userId of [OTHER_USER, "", 1, [USER], { $ne: null }] as Json[]) {
    assert.throws(() => withOwner(target(USER), { userId }), { code: "OWNER_MISMATCH" });
  }
});

Deno.test("the secret key sets the owner to any text, or leaves it out", () => {
  assert.deepEqual(withOwner(target(null), { userId: "anybody" }), { userId: "anybody" });
  assert.deepEqual(withOwner(target(null), { a: 1 }), { a: 1 });
});

Deno.test("an owner field may be called like something every object inherits", () => {
  const named = target(USER, { rls: { ownerField: "toString" } });
  assert.deepEqual(withOwner(named, {}), { toString: USER });
});

Deno.test("a signed-in user may repeat the owner but not change it", () => {
  for (const members of [{}, { a: 1 }, { userId: USER }]) {
    checkOwnerUnchanged(target(USER), members);
  }
  for (const userId of [OTHER_USER, null, "", [USER]] as Json[]) {
    assert.throws(() => checkOwnerUnchanged(target(USER), { userId }), { code: "OWNER_IMMUTABLE" });
  }
  checkOwnerUnchanged(target(null), { userId: OTHER_USER });
});

const CURRENT: Stored<StoredDocument> = {
  json: "",
  revision: 1,
  value: {
    _id: "66f1a0c2e4b0a1b2c3d4e5f6",
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T13:00:00.000Z",
    isDeleted: false,
    deletedAt: null,
  },
};

Deno.test("server-owned fields are left out of a change, whatever their values", () => {
  const { _id: id } = CURRENT.value;
  const stored: Members = { ...CURRENT.value, title: "a" };
  const other = { createdAt: 0, updatedAt: null, isDeleted: "x", deletedAt: {}, title: "a" };
  for (const members of [stored, other] as Members[]) {
    assert.deepEqual(withoutServerFields(members, id), { title: "a" });
  }
});

Deno.test("another _id is refused", () => {
  for (const _id of ["66f1a0c2e4b0a1b2c3d4e5f7", null, 1, ""]) {
    assert.throws(() => withoutServerFields({ _id }, CURRENT.value._id), {
      code: "FIELD_READ_ONLY",
      message: 'The field "_id" is set by the server: leave it out.',
    });
  }
});

Deno.test("a new document names no server-owned field, whatever its value", () => {
  assert.deepEqual(withoutServerFields({ title: "a" }, null), { title: "a" });
  for (const members of [{ _id: null }, { isDeleted: false }, { deletedAt: null }] as Members[]) {
    assert.throws(() => withoutServerFields(members, null), { code: "FIELD_READ_ONLY" });
  }
});

Deno.test("what the store refuses is told in the client's words", () => {
  const refused = (error: Error) => () => {
    throw refusalOf(error);
  };
  assert.throws(refused(new UniqueViolation("email")), {
    code: "DUPLICATE_VALUE",
    message: 'Another document already has this value in the unique field "email".',
  });
  assert.throws(refused(new RecordTooLarge(1_048_576)), { code: "DOCUMENT_TOO_LARGE" });
  assert.throws(refused(new PathConflict("a.b")), {
    code: "INVALID_DOCUMENT",
    message: 'The path "a.b" leads through a value that is not an object.',
  });
  const unavailable = new StoreUnavailable("full");
  assert.equal(refusalOf(unavailable), unavailable);
});

Deno.test("a refusal tells a form which field it is about", () => {
  const posts = collection([
    { key: "title", type: "String", required: true },
    { key: "meta", type: "Object", fields: [{ key: "stars", type: "Number" }] },
  ]);
  assert.throws(() => validateDocument(posts, { meta: { stars: "x" } }), {
    faults: [
      { path: "meta.stars", message: "must be a Number" },
      { path: "title", message: "is required" },
    ],
  });
  assert.throws(() => withoutServerFields({ _id: "x" }, null), {
    faults: [{ path: "_id", message: "is set by the server" }],
  });
  const { faults } = refusalOf(new UniqueViolation("slug")) as Problem;
  assert.deepEqual(faults, [
    { path: "slug", message: "has a value that another document already has" },
  ]);
});

Deno.test("what keeps members from being a document is told before anything is stored", () => {
  const to = { ...target(null), collection: collection([{ key: "views", type: "Number" }]) };
  assert.equal(creationProblem(to, { views: 1, extra: true }), null);
  assert.match(creationProblem(to, { views: "1" })!.message, /"views" must be a Number/);
  assert.equal(creationProblem(to, { _id: "x" })!.code, "FIELD_READ_ONLY");
  for (const body of [null, [], "x", 1] as Json[]) {
    assert.equal(creationProblem(to, body)!.code, "INVALID_BODY");
  }
});
