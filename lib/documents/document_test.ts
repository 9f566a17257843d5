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
  rejectFaults,
  toWriteProblem,
  validateDocument,
  withoutServerFields,
  withOwner,
} from "./document.ts";

const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER_USER = "bbbbbbbbbbbbbbbbbbbbbbbb";

const collection = (fields: unknown, parts: Record<string, unknown> = {}) =>
  compileCollection(parseDefinition({ name: "posts", fields, strict: false, ...parts }));

/** Returns a write target without a store. */
const writeTarget = (ownerId: string | null, parts: Record<string, unknown> = {}): WriteAccess => ({
  collection: collection([], parts),
  records: null as unknown as Records<StoredDocument>, // The tests neither read nor write.
  projectId: "66f1a0c2e4b0a1b2c3d4e5f6",
  callerTag: "",
  visible: () => ({ op: "and", of: [] }),
  ownerId,
  by: { actor: { kind: "key", id: null }, at: "2026-01-01T00:00:00.000Z" },
  caller: { kind: "secret", projectId: "66f1a0c2e4b0a1b2c3d4e5f6" },
});

Deno.test("asMembers rejects a body that is not an object", () => {
  const members = { a: 1 };
  assert.equal(asMembers(members), members);
  for (const body of [null, [], [{}], "a", 1, true] as Json[]) {
    assert.throws(() => asMembers(body), { code: "INVALID_BODY" });
  }
});

Deno.test("etagOf returns strong tags that differ if the texts differ", () => {
  const tag = etagOf({ json: '{"_id":"a"}' });
  assert.match(tag, /^"[A-Za-z0-9_-]{27}"$/);
  assert.equal(etagOf({ json: '{"_id":"a"}' }), tag);
  assert.notEqual(etagOf({ json: '{"_id":"b"}' }), tag);
});

Deno.test("validateDocument fills missing fields with defaults, but not null values", () => {
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

Deno.test("validateDocument fills in defaults of objects in a list", () => {
  const item = { type: "Object", fields: [{ key: "n", type: "Number", default: 1 }] };
  const listed = collection([{ key: "list", type: "Array", items: item }]);
  assert.deepEqual(validateDocument(listed, { list: [{}, { n: 2 }] }), {
    list: [{ n: 1 }, { n: 2 }],
  });
});

Deno.test("validateDocument fills in defaults of an object that is a default itself", () => {
  const fields = [{ key: "n", type: "Number", default: 1 }];
  const filled = collection([{ key: "o", type: "Object", fields, default: {} }]);
  assert.deepEqual(validateDocument(filled, { o: {} }), { o: { n: 1 } });
  assert.deepEqual(validateDocument(filled, {}), { o: { n: 1 } });
});

Deno.test("validateDocument does not share default values between documents", () => {
  const filled = collection([{ key: "o", type: "Object", default: { list: [1] } }]);
  const [one, other] = [validateDocument(filled, {}), validateDocument(filled, {})];
  (one.o as { list: number[] }).list.push(2);
  assert.deepEqual(other, { o: { list: [1] } });
});

Deno.test("a required field must be present and not null, unless it has a default", () => {
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

Deno.test("a required field may have the name of an inherited member", () => {
  for (const key of ["toString", "valueOf", "hasOwnProperty"]) {
    const required = collection([{ key, type: "String", required: true }]);
    assert.throws(() => validateDocument(required, {}), { code: "INVALID_DOCUMENT" }, key);
  }
});

Deno.test("validateDocument reports every fault with its field", () => {
  const typed = collection([{ key: "n", type: "Number" }], { strict: true });
  assert.throws(() => validateDocument(typed, { n: "1", x: 1 }), {
    code: "INVALID_DOCUMENT",
    message: 'The field "n" must be a Number. The field "x" is not declared.',
  });
  rejectFaults([]);
  assert.throws(() => rejectFaults([{ path: "", message: "is odd" }]), {
    message: "The document is odd.",
  });
});

Deno.test("withOwner sets the signed-in user as the owner", () => {
  assert.deepEqual(withOwner(writeTarget(USER), { a: 1 }), { a: 1, userId: USER });
  assert.deepEqual(withOwner(writeTarget(USER), { userId: USER }), { userId: USER });
  const author = { rls: { ownerField: "author" } };
  assert.deepEqual(withOwner(writeTarget(USER, author), {}), { author: USER });
});

Deno.test("withOwner rejects another owner from a signed-in user", () => {
  for (const userId of [OTHER_USER, "", 1, [USER], { $ne: null }] as Json[]) {
    assert.throws(() => withOwner(writeTarget(USER), { userId }), { code: "OWNER_MISMATCH" });
  }
});

Deno.test("withOwner accepts any owner, or none, from the secret key", () => {
  assert.deepEqual(withOwner(writeTarget(null), { userId: "anybody" }), { userId: "anybody" });
  assert.deepEqual(withOwner(writeTarget(null), { a: 1 }), { a: 1 });
});

Deno.test("an owner field may have the name of an inherited member", () => {
  const named = writeTarget(USER, { rls: { ownerField: "toString" } });
  assert.deepEqual(withOwner(named, {}), { toString: USER });
});

Deno.test("checkOwnerUnchanged lets a signed-in user repeat the owner but not change it", () => {
  for (const members of [{}, { a: 1 }, { userId: USER }]) {
    checkOwnerUnchanged(writeTarget(USER), members);
  }
  for (const userId of [OTHER_USER, null, "", [USER]] as Json[]) {
    assert.throws(() => checkOwnerUnchanged(writeTarget(USER), { userId }), {
      code: "OWNER_IMMUTABLE",
    });
  }
  checkOwnerUnchanged(writeTarget(null), { userId: OTHER_USER });
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

Deno.test("withoutServerFields removes server fields from a change, regardless of their values", () => {
  const { _id: id } = CURRENT.value;
  const stored: Members = { ...CURRENT.value, title: "a" };
  const other = { createdAt: 0, updatedAt: null, isDeleted: "x", deletedAt: {}, title: "a" };
  for (const members of [stored, other] as Members[]) {
    assert.deepEqual(withoutServerFields(members, id), { title: "a" });
  }
});

Deno.test("withoutServerFields rejects another _id", () => {
  for (const _id of ["66f1a0c2e4b0a1b2c3d4e5f7", null, 1, ""]) {
    assert.throws(() => withoutServerFields({ _id }, CURRENT.value._id), {
      code: "FIELD_READ_ONLY",
      message: 'The field "_id" is set by the server: leave it out.',
    });
  }
});

Deno.test("withoutServerFields rejects server fields in a new document", () => {
  assert.deepEqual(withoutServerFields({ title: "a" }, null), { title: "a" });
  for (const members of [{ _id: null }, { isDeleted: false }, { deletedAt: null }] as Members[]) {
    assert.throws(() => withoutServerFields(members, null), { code: "FIELD_READ_ONLY" });
  }
});

Deno.test("toWriteProblem converts errors of the store to problems", () => {
  const refused = (error: Error) => () => {
    throw toWriteProblem(error);
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
  assert.equal(toWriteProblem(unavailable), unavailable);
});

Deno.test("problems of documents have the paths of the faulty fields", () => {
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
  const { faults } = toWriteProblem(new UniqueViolation("slug")) as Problem;
  assert.deepEqual(faults, [
    { path: "slug", message: "has a value that another document already has" },
  ]);
});

Deno.test("creationProblem returns the reason why a document is invalid without storing it", () => {
  const to = { ...writeTarget(null), collection: collection([{ key: "views", type: "Number" }]) };
  assert.equal(creationProblem(to, { views: 1, extra: true }), null);
  assert.match(creationProblem(to, { views: "1" })!.message, /"views" must be a Number/);
  assert.equal(creationProblem(to, { _id: "x" })!.code, "FIELD_READ_ONLY");
  for (const body of [null, [], "x", 1] as Json[]) {
    assert.equal(creationProblem(to, body)!.code, "INVALID_BODY");
  }
});
