import assert from "node:assert/strict";
import type { Engine } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";
import { newPath } from "./paths.ts";
import { createServedFiles } from "./served_files.ts";

const clock = { now: () => 0 };

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
  const files = createServedFiles(engine, clock, holding(asked, null));
  assert.equal(await files.find(path), null);
  assert.equal(await files.find("../control.db"), null);
  assert.equal(await files.find(path.toUpperCase()), null);
  assert.deepEqual(asked, [`stored ${path}`]);
  const there = createServedFiles(engine, clock, holding([], 10));
  await assert.rejects(async () => await there.find(path), { message: "asked the database" });
});
