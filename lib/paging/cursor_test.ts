import assert from "node:assert/strict";
import type { Position } from "../store/port.ts";
import { mac } from "../crypto/hashes.ts";
import { createCursors, type CursorScope, scopeDigest } from "./cursor.ts";
import { shortenPosition } from "./shortened_position.ts";

const KEY_A = "a".repeat(43);
const KEY_B = "b".repeat(43);
const ID = "66f1a0c2e4b0a1b2c3d4e5f6";

const SCOPE: CursorScope = {
  projectId: "aaaaaaaaaaaaaaaaaaaaaaaa",
  collection: "posts",
  callerTag: "publishable bbbbbbbbbbbbbbbbbbbbbbbb",
  filter: { op: "and", of: [{ op: "eq", path: "status", value: "draft" }] },
  sort: [{ path: "views", descending: true }, { path: "title", descending: false }],
};

const LIST = scopeDigest(SCOPE);

const HERE: Position = { id: ID, values: [5, "größe"] };

const refused = (read: () => unknown, why?: string) =>
  assert.throws(read, { code: "INVALID_CURSOR", status: 400 }, why);

Deno.test("a cursor returns its position and direction, here and in another process", () => {
  const [cursors, elsewhere] = [createCursors([KEY_A]), createCursors([KEY_A])];
  const places: Position[] = [
    HERE,
    { id: ID, values: [null, ""] },
    { id: ID, values: [-1.5e-7, "😀\n\"'"] },
    { id: ID, values: [false, "2026-01-31T12:00:00.000Z"] },
    { id: ID, values: [] },
    { id: ID, values: [null], exact: "a value of the engine" },
  ];
  for (const from of places) {
    for (const backwards of [false, true]) {
      for (const place of [from, { ...from, inclusive: true }]) {
        const cursor = { from: place, backwards };
        const text = cursors.write(cursor, LIST);
        assert.deepEqual(cursors.read(text, LIST), cursor);
        assert.deepEqual(elsewhere.read(text, LIST), cursor);
        assert.equal(elsewhere.write(cursor, LIST), text);
      }
    }
  }
});

Deno.test("a cursor keeps the sign of zero and excludes its position by default", () => {
  const text = createCursors([KEY_A])
    .write({ from: { id: ID, values: [-0] }, backwards: false }, LIST);
  const cursor = createCursors([KEY_A]).read(text, LIST);
  assert.ok("from" in cursor);
  const { from } = cursor;
  assert.ok(Object.is(from.values[0], -0));
  assert.equal(from.inclusive ?? false, false);
});

Deno.test("a cursor is a text that needs no encoding in a URL", () => {
  const text = createCursors([KEY_A]).write({ from: HERE, backwards: false }, LIST);
  assert.match(text, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/);
});

Deno.test("a cursor that was altered at any index is rejected", () => {
  const cursors = createCursors([KEY_A]);
  const text = cursors.write({ from: HERE, backwards: false }, LIST);
  for (let at = 0; at < text.length; at++) {
    for (const char of ["A", "B", ".", "%"]) {
      if (text[at] === char) continue;
      const altered = text.slice(0, at) + char + text.slice(at + 1);
      refused(() => cursors.read(altered, LIST), `read with ${char} at ${at}`);
    }
  }
});

Deno.test("a truncated cursor is rejected", () => {
  const cursors = createCursors([KEY_A]);
  const text = cursors.write({ from: HERE, backwards: false }, LIST);
  for (let length = 0; length < text.length; length++) {
    refused(() => cursors.read(text.slice(0, length), LIST), `read when cut at ${length}`);
  }
});

Deno.test("a cursor with text before or after it is rejected", () => {
  const cursors = createCursors([KEY_A]);
  const text = cursors.write({ from: HERE, backwards: false }, LIST);
  for (const altered of [`x${text}`, `.${text}`, `${text}x`, `${text}.`, `${text}.x`, ` ${text}`]) {
    refused(() => cursors.read(altered, LIST), altered);
  }
});

Deno.test("other texts are rejected without a crash", () => {
  const cursors = createCursors([KEY_A]);
  for (const text of ["", ".", "..", "1", "eyJhIjoxfQ", "null", "😀.😀", "%.%", "a".repeat(9999)]) {
    refused(() => cursors.read(text, LIST), text.slice(0, 20));
  }
});

Deno.test("a cursor is valid only for its own list", () => {
  const [cursors, elsewhere] = [createCursors([KEY_A]), createCursors([KEY_A])];
  const text = cursors.write({ from: HERE, backwards: false }, LIST);
  const [views, title] = SCOPE.sort;
  const others: Partial<CursorScope>[] = [
    { projectId: "aaaaaaaaaaaaaaaaaaaaaaab" },
    { collection: "Posts" },
    { callerTag: "secret" },
    { callerTag: "publishable " },
    { callerTag: "publishable cccccccccccccccccccccccc" },
    { filter: { op: "and", of: [] } },
    { filter: { op: "and", of: [{ op: "eq", path: "status", value: "live" }] } },
    { filter: { op: "and", of: [{ op: "ne", path: "status", value: "draft" }] } },
    { filter: { op: "or", of: [{ op: "eq", path: "status", value: "draft" }] } },
    { sort: [views!] },
    { sort: [title!, views!] },
    { sort: [views!, { path: "title", descending: true }] },
    { sort: [views!, { path: "name", descending: false }] },
  ];
  for (const other of others) {
    for (const reading of [cursors, elsewhere]) {
      refused(() => reading.read(text, scopeDigest({ ...SCOPE, ...other })), JSON.stringify(other));
    }
  }
  const cursor = cursors.read(text, scopeDigest(structuredClone(SCOPE)));
  assert.ok("from" in cursor);
  assert.deepEqual(cursor.from.id, ID);
});

Deno.test("parts of a scope cannot be shifted into one another", () => {
  const digest = (collection: string, callerTag: string) =>
    scopeDigest({ ...SCOPE, collection, callerTag });
  assert.notEqual(digest("ab", "c"), digest("a", "bc"));
  assert.notEqual(digest('a","b', "c"), digest("a", 'b","c'));
  assert.equal(digest("a", "b"), digest("a", "b"));
});

Deno.test("the direction is signed together with the position", () => {
  const cursors = createCursors([KEY_A]);
  const forwards = cursors.write({ from: HERE, backwards: false }, LIST);
  const backwards = cursors.write({ from: HERE, backwards: true }, LIST);
  const [payload, signature] = [backwards.split(".")[0], forwards.split(".")[1]];
  refused(() => cursors.read(`${payload}.${signature}`, LIST));
});

Deno.test("cursors stay valid after a new signing key is added", () => {
  const before = createCursors([KEY_A]);
  const after = createCursors([KEY_B, KEY_A]);
  const later = createCursors([KEY_B]);
  const cursor = { from: HERE, backwards: true };
  const old = before.write(cursor, LIST);
  const fresh = after.write(cursor, LIST);
  assert.deepEqual(after.read(old, LIST), cursor);
  assert.deepEqual(after.read(fresh, LIST), cursor);
  assert.deepEqual(later.read(fresh, LIST), cursor, "the first key signs");
  refused(() => later.read(old, LIST));
  refused(() => before.read(fresh, LIST));
});

Deno.test("a cursor has at most 2048 characters, regardless of the values of its position", () => {
  const cursors = createCursors([KEY_A]);
  const texts = ["x", "\u0001", "é", "漢", "😀", '"'].map((char) => char.repeat(50_000));
  for (const keys of [1, 2, 8]) {
    for (const text of texts) {
      for (const values of [Array(keys).fill(text), [...Array(keys - 1).fill(-1.7e-300), text]]) {
        for (const inclusive of [{}, { inclusive: true }]) {
          const from: Position = { id: ID, values, ...inclusive };
          const written = cursors.write({ from, backwards: true }, LIST);
          assert.ok(written.length <= 2048, `${written.length}`);
          const cursor = cursors.read(written, LIST);
          assert.ok("shortened" in cursor);
          assert.deepEqual(cursor, { shortened: shortenPosition(from), backwards: true });
        }
      }
    }
  }
  const exact = "e".repeat(5000);
  const foreign = cursors.write({ from: { id: ID, values: [1], exact }, backwards: false }, LIST);
  assert.ok(foreign.length <= 2048);
});

Deno.test("a position of up to 2048 characters is not shortened", () => {
  const cursors = createCursors([KEY_A]);
  const lengthOf = (length: number) => {
    const from = { id: ID, values: ["x".repeat(length)] };
    const text = cursors.write({ from, backwards: false }, LIST);
    return ["from" in cursors.read(text, LIST), text.length];
  };
  assert.deepEqual(lengthOf(1485), [true, 2047]);
  assert.equal(lengthOf(1486)[0], false);
});

Deno.test("a text that is longer than a cursor can be is rejected", () => {
  const cursors = createCursors([KEY_A]);
  const payload = "A".repeat(3000);
  refused(() => cursors.read(`${payload}.${mac(KEY_A, `${LIST}.${payload}`)}`, LIST));
});
