import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { textBytes, uploadFile } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { get, head, openOne, partsOf, TEXT } from "./served.ts";
import { refused } from "./test_collection.ts";

const ONE: Readonly<Record<string, readonly [string, string]>> = {
  "bytes=0-0": ["0", "0-0"],
  "bytes=2-4": ["234", "2-4"],
  "bytes=9-9": ["9", "9-9"],
  "bytes=5-": ["56789", "5-9"],
  "bytes=0-": [TEXT, "0-9"],
  "bytes=8-1000": ["89", "8-9"],
  "bytes=8-99999999999999999999999": ["89", "8-9"],
  "bytes=-1": ["9", "9-9"],
  "bytes=-4": ["6789", "6-9"],
  "bytes=-10": [TEXT, "0-9"],
  "bytes=-99999999999999999999999": [TEXT, "0-9"],
  "Bytes=1-1": ["1", "1-1"],
  "bytes= 1-1 ": ["1", "1-1"],
  "bytes=,1-1,,": ["1", "1-1"],
  "bytes=1-2,3-4": ["1234", "1-4"],
  "bytes=0-5,2-3": ["012345", "0-5"],
  "bytes=4-6,0-4": ["0123456", "0-6"],
  "bytes=1-2,20-30": ["12", "1-2"],
  "bytes=0-0,-10": [TEXT, "0-9"],
};

Deno.test("one range is one part, and adjacent ranges are joined", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const [range, [text, place]] of Object.entries(ONE)) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.text, text, range);
    assert.equal(answer.headers.get("content-range"), `bytes ${place}/10`, range);
    assert.equal(answer.headers.get("content-length"), String(text.length), range);
    assert.equal(answer.headers.get("content-type"), "text/plain");
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  }
});

Deno.test("several ranges are parts of one response, each with its type and position", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const range of ["bytes=0-1,4-5,-2", "bytes=-2, 4-5 ,0-1", "bytes=0-0,1-1,4-5,9-,8-8"]) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get("content-range"), null);
    const type = "content-type: text/plain\r\ncontent-range: bytes";
    assert.deepEqual(partsOf(answer), [
      { head: `${type} 0-1/10`, body: "01" },
      { head: `${type} 4-5/10`, body: "45" },
      { head: `${type} 8-9/10`, body: "89" },
    ]);
  }
});

Deno.test("RANGE_NOT_SATISFIABLE: ranges that are malformed, too many or beyond the end", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const manyRanges = (count: number) =>
    `bytes=${Array.from({ length: count }, () => "0-0").join()}`;
  const bad = [
    "bytes=10-",
    "bytes=10-20",
    "bytes=99999999999999999999-",
    "bytes=-0",
    "bytes=10-11,20-",
    "bytes=",
    "bytes=,",
    "bytes=-",
    "bytes=5",
    "bytes=5-2",
    "bytes=0-1,5-2",
    "bytes=a-b",
    "bytes=1-2-3",
    "bytes=--1",
    "bytes=1-2;3-4",
    "bytes=0x1-2",
    "bytes=1.5-2",
    "bytes=1e1-",
    "bytes=+1-2",
    "bytes=0-1,x",
    "bytes=NaN-",
    manyRanges(51),
    manyRanges(5000),
    `bytes=${",".repeat(20_000)}`,
    `bytes=${"9".repeat(20_000)}-`,
  ];
  for (const range of bad) {
    const answer = await get(app, path, { range });
    refused(answer, 416, "RANGE_NOT_SATISFIABLE");
    assert.equal(answer.headers.get("content-range"), "bytes */10", range.slice(0, 40));
    assert.equal(answer.headers.get("cache-control"), "no-cache");
  }
  assert.equal((await get(app, path, { range: manyRanges(50) })).status, 206);
});

Deno.test("ranges of another unit are ignored", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (
    const range of ["items=0-1", "", "0-1", "byte=0-1", "bytesx=0-1", "bytes 0-1", "seconds=1-"]
  ) {
    const answer = await get(app, path, { range });
    assert.equal(answer.status, 200, range);
    assert.equal(answer.text, TEXT);
  }
});

Deno.test("If-Range: parts if the file is unchanged, otherwise the entire file", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const etag = (await get(app, path)).headers.get("etag")!;
  const getPart = async (ifRange: string) =>
    (await get(app, path, { range: "bytes=0-1", "if-range": ifRange })).text;
  assert.equal(await getPart(etag), "01");
  for (const other of [`W/${etag}`, '"x"', "*", "Wed, 21 Oct 2026 07:28:00 GMT", ""]) {
    assert.equal(await getPart(other), TEXT, other);
  }
  const beyond = await get(app, path, { range: "bytes=99-", "if-range": '"x"' });
  assert.equal(beyond.status, 200, "an ignored range is not refused");
});

Deno.test("large files are served entirely and in parts of any size", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const text = Array.from({ length: 60_000 }, (_, i) => String(i).padStart(5, "0")).join("");
  const path = await uploadFile(files, textBytes(text));
  const full = await get(app, path);
  assert.ok(full.text === text);
  assert.equal(full.headers.get("content-length"), "300000");
  for (const [first, last] of [[0, 65_535], [1, 65_537], [65_536, 299_999], [7, 7]]) {
    const answer = await get(app, path, { range: `bytes=${first}-${last}` });
    assert.ok(answer.text === text.slice(first, last! + 1), `${first}-${last}`);
  }
  const several = await get(app, path, { range: "bytes=0-99999,150000-150001,200000-" });
  const bodies = partsOf(several).map(({ body }) => body);
  assert.ok(
    bodies.join() ===
      [text.slice(0, 100_000), text.slice(150_000, 150_002), text.slice(200_000)].join(),
  );
});

Deno.test("a file of 0 bytes is served entirely and has no part", async () => {
  await using app = await openTestApp();
  const path = await uploadFile(await openFiles(app), textBytes(""));
  for (const answer of [await get(app, path), await head(app, path)]) {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-length"), "0");
    assert.equal(answer.text, "");
  }
  for (const range of ["bytes=0-", "bytes=0-0", "bytes=-1"]) {
    const answer = await get(app, path, { range });
    refused(answer, 416, "RANGE_NOT_SATISFIABLE");
    assert.equal(answer.headers.get("content-range"), "bytes */0");
  }
});
