import assert from "node:assert/strict";
import { type BodyLimits, readJson, readJsonIfAny } from "./body.ts";
import { createByteBudget } from "./byte_budget.ts";

const ADDRESS = "http://localhost:8000/api/data/posts";
const KIB = 1024;

const budget = createByteBudget({ bytesMax: 1e9, shareBytesMax: 1e9 });

const within = (bytesMax: number, timeoutMs?: number): BodyLimits => ({
  bytesMax,
  reservation: budget.open("a project"),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns a request whose body arrives in pieces and stays open if `end` is "never". */
function streamed(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  options: { readonly end?: "close" | "error" | "never"; readonly onCancel?: () => void } = {},
): Request {
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) return controller.enqueue(piece);
      if (options.end === "error") return controller.error(new Error("connection reset"));
      if (options.end === "never") return new Promise(() => {});
      return controller.close();
    },
    cancel: () => options.onCancel?.(),
  });
  return new Request(ADDRESS, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
}

const sent = (body: BodyInit | null, type: string | null = "application/json") =>
  new Request(ADDRESS, {
    method: "POST",
    body,
    headers: type === null ? [] : { "content-type": type },
  });

const refused = (request: Request, code: string, message = /./) =>
  assert.rejects(readJson(request, within(KIB)), { code, message });

Deno.test("readJson reads any JSON value", async () => {
  for (const text of ["{}", "[]", '"a"', "5", "null", "true", ' { "a" : [ 1 ] } ']) {
    assert.deepEqual(await readJson(sent(text), within(KIB)), JSON.parse(text));
  }
});

Deno.test("readJson accepts JSON content types in UTF-8", async () => {
  const types = [
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/merge-patch+json",
    "application/vnd.api+json",
    " application/json ",
  ];
  for (const type of types) {
    assert.deepEqual(await readJson(sent("{}", type), within(KIB)), {}, type);
  }
});

Deno.test("readJson refuses other content types before it parses the body", async () => {
  const types = [
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json-seq",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "text/plain; application/json",
    "",
  ];
  for (const type of types) await refused(sent("{", type), "UNSUPPORTED_MEDIA_TYPE");
  await refused(sent(bytes("{}"), null), "UNSUPPORTED_MEDIA_TYPE");
});

Deno.test("readJson refuses an empty body", async () => {
  await refused(sent(null), "INVALID_JSON", /The body is empty/);
  await refused(sent(""), "INVALID_JSON", /The body is empty/);
  await refused(streamed([]), "INVALID_JSON", /The body is empty/);
  await refused(streamed([bytes(""), bytes("")]), "INVALID_JSON", /The body is empty/);
});

Deno.test("readJson refuses invalid JSON with its position", async () => {
  const broken = ["{", "{a:1}", "{'a':1}", "[1,]", "nul", "1 2", "NaN", '"\u0001"', " ", "{}x"];
  for (const text of broken) {
    await refused(sent(text), "INVALID_JSON", /is not valid JSON \(line 1/);
  }
  const late = sent('{"title": "ä",\n "views": }');
  await refused(late, "INVALID_JSON", /JSON \(line 2, column 11: a value is expected\)\.$/);
});

Deno.test("readJson refuses bytes that are not UTF-8", async () => {
  const broken = [[0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]];
  for (const body of broken) await refused(sent(new Uint8Array(body)), "INVALID_JSON", /not UTF-8/);
  const utf16 = new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]);
  await refused(sent(utf16), "INVALID_JSON");
});

Deno.test("readJson reads JSON that is nested 10,000 deep", async () => {
  const text = "[".repeat(10_000) + "]".repeat(10_000);
  assert.ok(Array.isArray(await readJson(sent(text), within(1024 * KIB))));
});

Deno.test("readJson joins a character that is split between two chunks", async () => {
  const text = JSON.stringify({ a: "größe 😀 名前" });
  const encoded = bytes(text);
  for (let at = 1; at < encoded.length; at++) {
    const request = streamed([encoded.slice(0, at), encoded.slice(at)]);
    assert.deepEqual(await readJson(request, within(KIB)), JSON.parse(text), `split at ${at}`);
  }
  const single = Array.from(encoded, (byte) => new Uint8Array([byte]));
  assert.deepEqual(await readJson(streamed(single), within(KIB)), JSON.parse(text));
});

const ofLength = (length: number) => bytes(`"${"x".repeat(length - 2)}"`);

Deno.test("readJson accepts a body of exactly `bytesMax` bytes", async () => {
  assert.equal((await readJson(sent(ofLength(KIB)), within(KIB)) as string).length, KIB - 2);
  await refused(sent(ofLength(KIB + 1)), "BODY_TOO_LARGE", /larger than 1024 bytes/);
});

Deno.test("readJson counts received bytes, not characters or the declared length", async () => {
  const half = ofLength(KIB).slice(0, 512);
  const rest = ofLength(KIB).slice(512);
  assert.ok(await readJson(streamed([half, rest]), within(KIB)));
  await refused(streamed([half, rest, bytes(" ")]), "BODY_TOO_LARGE");
  await refused(sent(bytes(`"${"é".repeat(512)}"`)), "BODY_TOO_LARGE");
  const lying = sent(ofLength(KIB + 1));
  lying.headers.set("content-length", "5");
  await refused(lying, "BODY_TOO_LARGE");
});

Deno.test("readJson refuses a body by its declared length without reading it", async () => {
  let pulled = 0;
  const request = new Request(ADDRESS, {
    method: "POST",
    body: new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 }),
    headers: { "content-type": "application/json", "content-length": "1025" },
  });
  await refused(request, "BODY_TOO_LARGE");
  assert.equal(pulled, 0);
});

Deno.test("readJson cancels an endless body as soon as it is too large", async () => {
  let given = 0;
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      given += 256;
      controller.enqueue(new Uint8Array(256).fill(0x20));
    },
    cancel: () => void (cancelled = true),
  }, { highWaterMark: 0 });
  await refused(sent(endless), "BODY_TOO_LARGE");
  assert.equal(cancelled, true);
  assert.ok(given <= 2 * KIB, `${given} bytes were read`);
});

Deno.test("readJson refuses a body that is cut off", async () => {
  const pieces = [bytes('{"a":')];
  await refused(streamed(pieces, { end: "error" }), "INVALID_JSON", /^The body was cut off\.$/);
});

Deno.test("readJson cancels a body that does not arrive in time", async () => {
  let cancelled = false;
  const onCancel = () => void (cancelled = true);
  for (const pieces of [[], [bytes('{"a":')]]) {
    cancelled = false;
    const request = streamed(pieces, { end: "never", onCancel });
    await assert.rejects(readJson(request, within(KIB, 5)), {
      code: "REQUEST_TIMEOUT",
      status: 408,
    });
    assert.equal(cancelled, true);
  }
});

Deno.test("readJson enforces its time limit even if bytes keep arriving", async () => {
  const dripping = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      controller.enqueue(bytes(" "));
    },
  }, { highWaterMark: 0 });
  await assert.rejects(readJson(sent(dripping), within(1024 * KIB, 20)), {
    code: "REQUEST_TIMEOUT",
  });
});

Deno.test("readJsonIfAny returns undefined for an empty body of any type", async () => {
  for (const type of [null, "application/json", "text/plain"]) {
    assert.equal(await readJsonIfAny(sent(null, type), within(KIB)), undefined);
    assert.equal(await readJsonIfAny(sent("", type), within(KIB)), undefined);
  }
  assert.equal(await readJsonIfAny(streamed([]), within(KIB)), undefined);
});

Deno.test("readJsonIfAny reads a body that is not empty like readJson", async () => {
  assert.deepEqual(await readJsonIfAny(sent('{"a":1}'), within(KIB)), { a: 1 });
  assert.equal(await readJsonIfAny(sent("null"), within(KIB)), null);
  const wrong: [Request, string][] = [
    [sent("{}", "text/plain"), "UNSUPPORTED_MEDIA_TYPE"],
    [sent("{}", ""), "UNSUPPORTED_MEDIA_TYPE"],
    [sent("{"), "INVALID_JSON"],
    [sent(" "), "INVALID_JSON"],
    [sent("x".repeat(KIB + 1)), "BODY_TOO_LARGE"],
    [streamed([bytes("{")], { end: "error" }), "INVALID_JSON"],
  ];
  for (const [request, code] of wrong) {
    await assert.rejects(readJsonIfAny(request, within(KIB)), { code });
  }
  const slow = readJsonIfAny(streamed([], { end: "never" }), within(KIB, 1));
  await assert.rejects(slow, { code: "REQUEST_TIMEOUT" });
});

Deno.test("readJson limits the members and values of a large body", async () => {
  const read = (text: string) => readJson(sent(text), within(8 * 1024 * KIB));
  const members = (count: number) => `[${Array(count).fill('{"a:,":0}').join()}]`;
  const values = (count: number) => `[${Array(count).fill("0").join()}]`;
  assert.equal((await read(members(50_000)) as unknown[]).length, 50_000);
  assert.equal((await read(values(499_996)) as unknown[]).length, 499_996);
  const nested = (levels: number) => "[".repeat(levels) + "0" + "]".repeat(levels);
  assert.ok(await read(nested(100_000)));
  for (const text of [members(50_001), values(499_997), nested(100_001)]) {
    await assert.rejects(read(text), { code: "BODY_TOO_LARGE", message: /in parts/ });
  }
  const texts = JSON.stringify([",:".repeat(500_000), '\\",'.repeat(300_000)]);
  assert.equal(JSON.stringify(await read(texts)), texts);
});
