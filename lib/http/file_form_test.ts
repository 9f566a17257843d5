import assert from "node:assert/strict";
import { Problem } from "../problems.ts";
import { readFileForm } from "./file_form.ts";

const TYPE = 'multipart/form-data; boundary="b b"';
const HEAD = '--b b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n';
const TAIL = "\r\n--b b--\r\n";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Pieces in one buffer, as they come over a connection: each spoils the one before. */
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

Deno.test("the length of a file is known before its first byte, and its bytes are as they were", async () => {
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

Deno.test("a form that was cut off brings fewer bytes than it said", async () => {
  const whole = `${HEAD}content${TAIL}`;
  for (const cut of [HEAD.length, HEAD.length + 3, whole.length - TAIL.length]) {
    const file = await read(whole.slice(0, cut), { length: whole.length + 5 });
    assert.ok(file.content.length < file.bytes);
  }
});

Deno.test("what goes on behind its file, or never comes to it, is refused", async () => {
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

Deno.test("a caller that does not read the file ends the body", async () => {
  let isEnded = false;
  const text = `${HEAD}content${TAIL}`;
  const headers = { contentType: TYPE, contentLength: String(text.length) };
  const { chunks } = await readFileForm(headers, pieces(text, 4, () => isEnded = true));
  for await (const _ of chunks) break;
  assert.ok(isEnded);
});
