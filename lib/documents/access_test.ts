import assert from "node:assert/strict";
import type { BlobStores } from "../files/stores.ts";
import type { Caller } from "../auth/principals.ts";
import { systemClock } from "../clock.ts";
import type { Engine, Filter, Id, Stored } from "../store/port.ts";
import {
  explainMissingWrite,
  openForReading,
  openForWriting,
  ownerFilter,
  requireSecretKey,
  type WriteAccess,
  type WriteAccessServices,
} from "./access.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { parseDefinition } from "./definition.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const ID = "cccccccccccccccccccccccc";

const secret: Caller = { kind: "secret", projectId: PROJECT };
const visitor: Caller = { kind: "publishable", projectId: PROJECT, userId: null };
const user: Caller = { kind: "publishable", projectId: PROJECT, userId: USER };

const DEFINITIONS = new Map([
  ["off", { enabled: false }],
  ["public", { mode: "public-read" }],
  ["private", { mode: "private" }],
  ["authored", { mode: "private", ownerField: "author" }],
].map(([name, rls]) => [name, compileCollection(parseDefinition({ name, rls }))]));

/** Services with the four collections of one project. Every search finds `stored`. */
function services(stored: StoredDocument | null = null) {
  const searches: Filter[] = [];
  const records = {
    findOne(filter: Filter): Promise<Stored<StoredDocument> | null> {
      searches.push(filter);
      return Promise.resolve(stored && { json: "", revision: 1, value: stored });
    },
  };
  return {
    searches,
    engine: { records: () => records } as unknown as Engine, // The tests use no other methods.
    catalog: {
      find: (projectId: Id, name: string) =>
        Promise.resolve(projectId === PROJECT ? DEFINITIONS.get(name) ?? null : null),
      names: () => Promise.resolve([]),
      forget() {},
    },
    userFields: { ofProject: () => [] },
    blobStores: null as unknown as BlobStores,
    clock: systemClock,
    newId: () => PROJECT,
  } satisfies WriteAccessServices & { searches: Filter[] };
}

const LIVE: Filter = { op: "eq", path: "isDeleted", value: false };
const OWN: Filter = { op: "eq", path: "userId", value: USER };
const AUTHORED: Filter = { op: "eq", path: "author", value: USER };
const ALL: Filter = { op: "and", of: [] };

Deno.test("visible returns the filter of each mode and caller, with and without the trash", async () => {
  const table: readonly (readonly [string, Caller, Filter, Filter])[] = [
    ["off", secret, LIVE, ALL],
    ["off", visitor, LIVE, LIVE],
    ["off", user, LIVE, LIVE],
    ["public", secret, LIVE, ALL],
    ["public", visitor, LIVE, LIVE],
    ["public", user, LIVE, { op: "or", of: [LIVE, OWN] }],
    ["private", secret, LIVE, ALL],
    ["private", user, { op: "and", of: [LIVE, OWN] }, OWN],
    ["authored", user, { op: "and", of: [LIVE, AUTHORED] }, AUTHORED],
  ];
  for (const [name, caller, live, withTrash] of table) {
    const { visible } = await openForReading(services(), caller, name);
    assert.deepEqual(visible(false), live, `${name} ${JSON.stringify(caller)}`);
    assert.deepEqual(visible(true), withTrash, `${name} ${JSON.stringify(caller)}`);
  }
});

Deno.test("opening a private collection requires a signed-in user", async () => {
  for (const open of [openForReading, openForWriting]) {
    await assert.rejects(open(services(), visitor, "private"), {
      code: "ACCESS_TOKEN_REQUIRED",
      status: 401,
    });
  }
});

Deno.test("openForWriting restricts callers by the mode of row-level security", async () => {
  const table: readonly (readonly [string, Caller, string | null])[] = [
    ["off", secret, null],
    ["off", visitor, "RLS_REQUIRED"],
    ["off", user, "RLS_REQUIRED"],
    ["public", secret, null],
    ["public", visitor, "ACCESS_TOKEN_REQUIRED"],
    ["public", user, USER],
    ["private", secret, null],
    ["private", visitor, "ACCESS_TOKEN_REQUIRED"],
    ["private", user, USER],
    ["authored", user, USER],
  ];
  for (const [name, caller, outcome] of table) {
    const opened = openForWriting(services(), caller, name);
    const found = await opened.then(({ ownerId }) => ownerId, (error) => error.code);
    assert.equal(found, outcome, `${name} ${JSON.stringify(caller)}`);
  }
});

Deno.test("opening a missing collection, or one of another project, throws COLLECTION_NOT_FOUND", async () => {
  const foreign: Caller = { kind: "secret", projectId: "66f1a0c2e4b0a1b2c3d4e5f7" };
  for (const open of [openForReading, openForWriting]) {
    for (
      const [caller, name] of [[secret, "other"], [visitor, "other"], [foreign, "off"]] as const
    ) {
      await assert.rejects(open(services(), caller, name), {
        code: "COLLECTION_NOT_FOUND",
        status: 404,
      });
    }
  }
});

Deno.test("callerTag differs between callers who may see different documents", async () => {
  const other: Caller = { ...user, userId: "bbbbbbbbbbbbbbbbbbbbbbbb" };
  const tags = [];
  for (const caller of [secret, visitor, user, other]) {
    tags.push((await openForReading(services(), caller, "public")).callerTag);
  }
  assert.equal(new Set(tags).size, 4);
  const again = await openForReading(services(), { ...user }, "public");
  assert.equal(again.callerTag, tags[2]);
});

Deno.test("requireSecretKey rejects all callers except the secret key", () => {
  requireSecretKey(secret);
  for (const caller of [visitor, user]) {
    assert.throws(() => requireSecretKey(caller), { code: "SECRET_KEY_REQUIRED", status: 403 });
  }
});

Deno.test("ownerFilter matches a user's own documents, and all documents for the secret key", async () => {
  const owner = async (caller: Caller, name: string) =>
    ownerFilter(await openForWriting(services(), caller, name));
  assert.deepEqual(await owner(user, "private"), OWN);
  assert.deepEqual(await owner(user, "public"), OWN);
  assert.deepEqual(await owner(user, "authored"), AUTHORED);
  assert.deepEqual(await owner(secret, "private"), ALL);
});

const document = (userId: string | null): StoredDocument => ({
  _id: ID,
  userId,
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
  isDeleted: false,
  deletedAt: null,
});

async function explainMissing(
  caller: Caller,
  stored: StoredDocument | null,
  includeDeleted?: boolean,
): Promise<{ code: string; searches: Filter[] }> {
  const known = services(stored);
  const target: WriteAccess = await openForWriting(known, caller, "public");
  return {
    code: (await explainMissingWrite(target, ID, includeDeleted)).code,
    searches: known.searches,
  };
}

Deno.test("explainMissingWrite distinguishes a missing document from another owner's document", async () => {
  assert.equal((await explainMissing(user, null)).code, "DOCUMENT_NOT_FOUND");
  assert.equal((await explainMissing(user, document("another user"))).code, "OWNER_MISMATCH");
  assert.equal((await explainMissing(user, document(null))).code, "OWNER_MISMATCH");
  assert.equal((await explainMissing(user, document(USER))).code, "DOCUMENT_NOT_FOUND");
  assert.equal((await explainMissing(secret, null)).code, "DOCUMENT_NOT_FOUND");
  assert.equal((await explainMissing(secret, document("another user"))).code, "DOCUMENT_NOT_FOUND");
});

Deno.test("explainMissingWrite reads only documents that the caller may see", async () => {
  const id: Filter = { op: "eq", path: "_id", value: ID };
  assert.deepEqual((await explainMissing(user, null)).searches, [{ op: "and", of: [id, LIVE] }]);
  assert.deepEqual((await explainMissing(user, null, true)).searches, [
    { op: "and", of: [id, { op: "or", of: [LIVE, OWN] }] },
  ]);
});
