import assert from "node:assert/strict";
import type { Log } from "./log.ts";
import { silentLog } from "./log.ts";
import { KeyRing } from "../crypto/key_ring.ts";
import { openKeyRingFile } from "./key_ring_file.ts";

async function tempFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "corbel-keys-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const filesIn = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name);

/** Returns a log that records its lines. */
function recordingLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    ...silentLog,
    lines,
    write: (level, message, fields) => void lines.push(JSON.stringify([level, message, fields])),
  };
}

const isNew = () => Promise.resolve(true);

Deno.test("openKeyRingFile creates a key ring that only its owner can read", async () => {
  await using folder = await tempFolder();
  const text = await openKeyRingFile(folder.path, silentLog, isNew);
  assert.match(text, /^key1:[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(filesIn(folder.path), ["secret-keys"]);
  const { mode } = await Deno.stat(`${folder.path}/secret-keys`);
  assert.equal(mode! & 0o777, 0o600);
  const ring = await KeyRing.parse(text);
  const binding = { project: "p", purpose: "q" };
  assert.equal(await ring.open(await ring.seal("value", binding), binding), "value");
});

Deno.test("openKeyRingFile reads an existing key ring", async () => {
  await using folder = await tempFolder();
  const first = await openKeyRingFile(folder.path, silentLog, isNew);
  const log = recordingLog();
  assert.equal(await openKeyRingFile(folder.path, log, isNew), first);
  assert.deepEqual(log.lines, []);
});

Deno.test("openKeyRingFile reads a key ring that the operator has written", async () => {
  await using folder = await tempFolder();
  const own = "new:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
  await Deno.writeTextFile(`${folder.path}/secret-keys`, `  ${own}\n\n`);
  assert.equal(await openKeyRingFile(folder.path, silentLog, isNew), own);
});

Deno.test("20 concurrent calls of openKeyRingFile create and read one key ring", async () => {
  await using folder = await tempFolder();
  const log = recordingLog();
  const starts = Array.from({ length: 20 }, () => openKeyRingFile(folder.path, log, isNew));
  assert.equal(new Set(await Promise.all(starts)).size, 1);
  assert.deepEqual(filesIn(folder.path), ["secret-keys"], "drafts are removed");
  assert.equal(log.lines.length, 1);
});

Deno.test("openKeyRingFile logs a new key ring without its key", async () => {
  await using folder = await tempFolder();
  const log = recordingLog();
  const text = await openKeyRingFile(folder.path, log, isNew);
  assert.equal(log.lines.length, 1);
  assert.match(log.lines[0]!, /^\["warn","Created a key ring/);
  assert.ok(log.lines[0]!.includes(`${folder.path}/secret-keys`));
  assert.equal(log.lines[0]!.includes(text.slice("key1:".length)), false);
});

Deno.test("openKeyRingFile creates different key rings in different folders", async () => {
  await using one = await tempFolder();
  await using other = await tempFolder();
  assert.notEqual(
    await openKeyRingFile(one.path, silentLog, isNew),
    await openKeyRingFile(other.path, silentLog, isNew),
  );
});

Deno.test("openKeyRingFile fails without creating a new file if the key ring is unreadable", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/secret-keys`);
  await assert.rejects(openKeyRingFile(folder.path, silentLog, isNew));
  assert.deepEqual(filesIn(folder.path), ["secret-keys"]);
});
