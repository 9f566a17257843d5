import assert from "node:assert/strict";
import type { Log } from "./log.ts";
import { silentLog } from "./log.ts";
import { KeyRing } from "../crypto/key_ring.ts";
import { keptKeyRing } from "./kept_key_ring.ts";

async function tempFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "corbel-keys-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const filesIn = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name);

/** Remembers what was logged. */
function rememberingLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    ...silentLog,
    lines,
    write: (level, message, fields) => void lines.push(JSON.stringify([level, message, fields])),
  };
}

const isNew = () => Promise.resolve(true);

Deno.test("the first start makes a key ring that only its owner can read", async () => {
  await using folder = await tempFolder();
  const text = await keptKeyRing(folder.path, silentLog, isNew);
  assert.match(text, /^key1:[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(filesIn(folder.path), ["secret-keys"]);
  const { mode } = await Deno.stat(`${folder.path}/secret-keys`);
  assert.equal(mode! & 0o777, 0o600);
  const ring = await KeyRing.parse(text);
  const binding = { project: "p", purpose: "q" };
  assert.equal(await ring.open(await ring.seal("value", binding), binding), "value");
});

Deno.test("the second start reads the ring that the first one made", async () => {
  await using folder = await tempFolder();
  const first = await keptKeyRing(folder.path, silentLog, isNew);
  const log = rememberingLog();
  assert.equal(await keptKeyRing(folder.path, log, isNew), first);
  assert.deepEqual(log.lines, []);
});

Deno.test("a ring that an operator put there is read as it is", async () => {
  await using folder = await tempFolder();
  const own = "new:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
  await Deno.writeTextFile(`${folder.path}/secret-keys`, `  ${own}\n\n`);
  assert.equal(await keptKeyRing(folder.path, silentLog, isNew), own);
});

Deno.test("of 20 starts at once one makes the ring and all read the same", async () => {
  await using folder = await tempFolder();
  const log = rememberingLog();
  const starts = Array.from({ length: 20 }, () => keptKeyRing(folder.path, log, isNew));
  assert.equal(new Set(await Promise.all(starts)).size, 1);
  assert.deepEqual(filesIn(folder.path), ["secret-keys"], "drafts are removed");
  assert.equal(log.lines.length, 1);
});

Deno.test("making a ring is told to the operator without the key", async () => {
  await using folder = await tempFolder();
  const log = rememberingLog();
  const text = await keptKeyRing(folder.path, log, isNew);
  assert.equal(log.lines.length, 1);
  assert.match(log.lines[0]!, /^\["warn","Made a key ring/);
  assert.ok(log.lines[0]!.includes(`${folder.path}/secret-keys`));
  assert.equal(log.lines[0]!.includes(text.slice("key1:".length)), false);
});

Deno.test("two folders get two rings", async () => {
  await using one = await tempFolder();
  await using other = await tempFolder();
  assert.notEqual(
    await keptKeyRing(one.path, silentLog, isNew),
    await keptKeyRing(other.path, silentLog, isNew),
  );
});

Deno.test("a ring that cannot be read is a failure, not a reason to make another", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/secret-keys`);
  await assert.rejects(keptKeyRing(folder.path, silentLog, isNew));
  assert.deepEqual(filesIn(folder.path), ["secret-keys"]);
});
