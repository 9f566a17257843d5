import assert from "node:assert/strict";
import type { Engine } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";
import { newPath } from "./paths.ts";
import { createServedFiles } from "./served_files.ts";

const clock = { now: () => 0, elapsed: () => 0 };

const urls = { publicUrl: "https://api.example", filesUrl: "https://files.example" };

/** A database that throws on every use. */
const engine = new Proxy({}, {
  get: () => {
    throw new Error("queried the database");
  },
}) as Engine;

const path = newPath("0123456789abcdef01234567", crypto.randomUUID(), "a.txt");

const blobsWith = (calls: string[], bytes: number | null) =>
  ({
    stat(place: string, path: string) {
      calls.push(`${place} ${path}`);
      return Promise.resolve(bytes === null ? null : { bytes });
    },
  }) as unknown as Blobs; // Other methods are not called.

Deno.test("find does not query the database for a missing object or an invalid path", async () => {
  const calls: string[] = [];
  const files = createServedFiles(engine, clock, blobsWith(calls, null), urls);
  assert.equal(await files.find("stored", path, null), null);
  assert.equal(await files.find("stored", "../control.db", null), null);
  assert.equal(await files.find("stored", path.toUpperCase(), null), null);
  assert.deepEqual(calls, [`stored ${path}`]);
  const existing = createServedFiles(engine, clock, blobsWith([], 10), urls);
  await assert.rejects(async () => await existing.find("private", path, null), {
    message: "queried the database",
  });
});
