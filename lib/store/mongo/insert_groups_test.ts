import {
  type BulkWriteResult,
  type Collection,
  type Document,
  MongoBulkWriteError,
  type WriteConcernError,
  type WriteError,
} from "mongodb";
import assert from "node:assert/strict";
import { UniqueViolation } from "../errors.ts";
import { translated } from "./failures.ts";
import { InsertGroups } from "./insert_groups.ts";

const DUPLICATE = 11_000;
const DOCUMENTS = 12;

/** A collection whose commands end at once, in which the second of every group is refused. */
function refusing(result: (count: number) => Partial<BulkWriteResult>) {
  const refused = { index: 1, code: DUPLICATE, errmsg: "dup key" } as WriteError;
  return {
    namespace: "a.b",
    insertOne: () => Promise.resolve(),
    insertMany: ({ length }: readonly Document[]) =>
      Promise.reject(
        Object.assign(
          new MongoBulkWriteError({ message: "", code: DUPLICATE }, {
            getWriteConcernError: () => undefined,
            ...result(length),
          } as BulkWriteResult),
          { writeErrors: [refused] },
        ),
      ),
  } as unknown as Collection; // Nothing else is asked of it.
}

/** How many were stored, and the errors of the others. */
async function insertedInto(collection: Collection) {
  const groups = new InsertGroups();
  const ended = await Promise.allSettled(
    Array.from({ length: DOCUMENTS }, (_, n) => groups.insert(collection, { n }, `{"n":${n}}`)),
  );
  const failed = ended.flatMap((one) => one.status === "rejected" ? [translated(one.reason)] : []);
  return { stored: DOCUMENTS - failed.length, failed };
}

Deno.test("of documents that go together only those are refused of which the server says so", async () => {
  const { stored, failed } = await insertedInto(
    refusing((count) => ({ insertedCount: count - 1 })),
  );
  assert.equal(stored, DOCUMENTS - 1);
  assert.ok(failed.every((error) => error instanceof UniqueViolation));
});

Deno.test("who else was refused beside documents that may not be stored, or not for good, is not said", async () => {
  const notForGood = { code: 64 } as WriteConcernError;
  const alone = DOCUMENTS - (await insertedInto(refusing(() => ({ insertedCount: 0 })))).stored;
  for (
    const collection of [
      refusing((count) => ({ insertedCount: count - 2 })),
      refusing((count) => ({
        insertedCount: count - 1,
        getWriteConcernError: () => notForGood,
      })),
    ]
  ) assert.equal((await insertedInto(collection)).failed.length, alone);
  assert.ok(alone > 1, "A whole group fails");
});
