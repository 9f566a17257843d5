import assert from "node:assert/strict";
import { bytesText, countWithNoun, exactBytesText } from "./amounts.ts";

Deno.test("sizes and numbers are formatted for people", () => {
  assert.deepEqual([0, 1, 2, 1023, 1024, 14_889_779].map(bytesText), [
    "0 bytes",
    "1 byte",
    "2 bytes",
    "1,023 bytes",
    "1 KB",
    "14.2 MB",
  ]);
  assert.deepEqual([1000, 4096, 10_485_760].map(exactBytesText), [
    "1000 bytes",
    "4096 bytes (4 KB)",
    "10485760 bytes (10 MB)",
  ]);
  assert.deepEqual([0, 1, 8310].map((count) => countWithNoun(count, "row")), [
    "0 rows",
    "1 row",
    "8,310 rows",
  ]);
});
