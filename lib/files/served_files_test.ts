import assert from "node:assert/strict";
import type { Engine } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";
import { newPath } from "./paths.ts";
import { createServedFiles } from "./served_files.ts";

const clock = { now: () => 0, elapsed: () => 0 };

const addresses = { publicUrl: "https://api.example", filesUrl: "https://files.example" };

/** A database that nobody may ask. */
const engine = new Proxy({}, {
  get: () => {
    throw new Error("asked the database");
  },
}) as Engine;

const path = newPath("0123456789abcdef01234567", crypto.randomUUID(), "a.txt");

const holding = (asked: string[], bytes: number | null) =>
  ({
    stat(place: string, path: string) {
      asked.push(`${place} ${path}`);
      return Promise.resolve(bytes === null ? null : { bytes });
    },
  }) as unknown as Blobs; // No more is asked of it.

Deno.test("the database is not asked for what is not there, nor anything for what is no path", async () => {
  const asked: string[] = [];
  const files = createServedFiles(engine, clock, holding(asked, null), addresses);
  assert.equal(await files.find("stored", path, null), null);
  assert.equal(await files.find("stored", "../control.db", null), null);
  assert.equal(await files.find("stored", path.toUpperCase(), null), null);
  assert.deepEqual(asked, [`stored ${path}`]);
  const there = createServedFiles(engine, clock, holding([], 10), addresses);
  await assert.rejects(async () => await there.find("private", path, null), {
    message: "asked the database",
  });
});
