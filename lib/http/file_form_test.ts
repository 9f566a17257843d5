import assert from "node:assert/strict";
import { Problem } from "../problems.ts";
import { readFileForm } from "./file_form.ts";

const TYPE = 'multipart/form-data; boundary="b b"';
const HEAD = '--b b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n';
const TAIL = "\r\n--b b--\r\n";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Yields pieces in one buffer, so that each overwrites the previous one, like a connection. */
async function* pieces(text: string, length: number, ended: () => void = () => {}) {
  const bytes = bytesOf(text);
  const buffer = new Uint8Array(length);
  try {
    for (let at = 0; at < bytes.length; at += length) {
      await Promise.resolve();
      const piece = bytes.subarray(at, at + length);
      buffer.fill(0).set(piece);
      yield buffer.subarray(0, piece.length);
    }
  } finally {
    ended();
  }
}

async function read(text: string, { piece = 8, length = bytesOf(text).length } = {}) {
  const headers = { contentType: TYPE, contentLength: String(length) };
  const file = await readFileForm(headers, pieces(text, piece));
  let content = "";
  for await (const chunk of file.chunks) content += new TextDecoder("latin1").decode(chunk);
  return { ...file, content };
}

Deno.test("readFileForm knows the size of a file in advance and yields its exact bytes", async () => {
  for (const content of ["x", "two\r\nlines\r\n\r\n", `${TAIL}${HEAD}`, "y".repeat(1000)]) {
    for (const piece of [1, 3, 40, 5000]) {
      const file = await read(`${HEAD}${content}${TAIL}`, { piece });
      assert.deepEqual([file.filename, file.bytes, file.content], [
        "a.txt",
        content.length,
        content,
      ]);
      assert.equal(file.contentType, "application/octet-stream");
    }
  }
});

Deno.test("readFileForm yields fewer bytes than announced if the form is cut off", async () => {
  const full = `${HEAD}content${TAIL}`;
  for (const cut of [HEAD.length, HEAD.length + 3, full.length - TAIL.length]) {
    const file = await read(full.slice(0, cut), { length: full.length + 5 });
    assert.ok(file.content.length < file.bytes);
  }
});

Deno.test("readFileForm refuses forms with other fields or without a file", async () => {
  const wrong = [
    `${HEAD}content\r\n--b b\r\n${HEAD}more\r\n--bcb--\r\n`,
    `${HEAD}content`.padEnd(200, "x"),
    HEAD.slice(0, -3),
    `--other${HEAD.slice(5)}content${TAIL}`,
    `${HEAD.replace(/; filename="[^"]*"/, "")}text${TAIL}`,
    "x".repeat(10_000),
  ];
  for (const text of wrong) {
    await assert.rejects(
      read(text),
      (error) => error instanceof Problem && error.code === "INVALID_UPLOAD",
      text,
    );
  }
});

Deno.test("readFileForm ends the body if its caller stops reading", async () => {
  let isEnded = false;
  const text = `${HEAD}content${TAIL}`;
  const headers = { contentType: TYPE, contentLength: String(text.length) };
  const { chunks } = await readFileForm(headers, pieces(text, 4, () => isEnded = true));
  for await (const _ of chunks) break;
  assert.ok(isEnded);
});
