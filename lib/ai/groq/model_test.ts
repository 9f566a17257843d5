import assert from "node:assert/strict";
import { Secret } from "../../crypto/secret.ts";
import { type AiFake, startAiFake } from "@/tests/support/ai_fake.ts";
import { until } from "@/tests/acceptance/until.ts";
import { type FailureKind, ModelFailure, type Question } from "../model.ts";
import { openGroqModel } from "./model.ts";

const SCHEMA = {
  type: "object",
  properties: { word: { type: "string" } },
  required: ["word"],
  additionalProperties: false,
};

const question = (fake: AiFake, change: Partial<Question> = {}): Question => ({
  apiKey: new Secret(fake.key),
  system: "Say a word.",
  messages: [{ role: "user", content: "Which?" }],
  answer: { name: "word", schema: SCHEMA },
  signal: new AbortController().signal,
  ...change,
});

const open = ({ url, model }: AiFake, timeoutMs = 10_000) =>
  openGroqModel({ baseUrl: url, model, timeoutMs });

const fails = (work: Promise<unknown>, kind: FailureKind, status: number | null = null) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof ModelFailure, String(error));
    assert.deepEqual([error.kind, error.status], [kind, status]);
    assert.ok(!String(error.stack).includes("gsk_"));
    return true;
  });

Deno.test("ask sends key, model, schema and messages, and returns JSON", async () => {
  await using fake = startAiFake();
  fake.reply({ writes: { word: "corbel" } });
  assert.deepEqual(await open(fake).ask(question(fake)), { word: "corbel" });
  const [asked] = fake.asked;
  assert.equal(asked!.key, fake.key);
  assert.equal(asked!.schemaName, "word");
  assert.deepEqual(asked!.schema, SCHEMA);
  assert.equal(asked!.system, "Say a word.");
  assert.deepEqual(asked!.messages, [{ role: "user", content: "Which?" }]);
  assert.equal(asked!.isStream, false);
});

Deno.test("ask passes on a streamed answer in pieces and returns the complete answer", async () => {
  await using fake = startAiFake();
  fake.reply({ writes: { word: "a somewhat longer word" }, piece: 3 });
  const pieces: string[] = [];
  const asked = question(fake, { onText: (piece) => void pieces.push(piece) });
  assert.deepEqual(await open(fake).ask(asked), { word: "a somewhat longer word" });
  assert.ok(pieces.length > 3);
  assert.equal(pieces.join(""), '{"word":"a somewhat longer word"}');
});

Deno.test("ask retries 429 and 5xx once after the provider's Retry-After", async () => {
  for (const status of [429, 500, 503]) {
    await using fake = startAiFake();
    fake.reply((_, i) => i === 0 ? { status, headers: { "retry-after": "0" } } : { writes: {} });
    assert.deepEqual(await open(fake).ask(question(fake)), {});
    assert.equal(fake.asked.length, 2);
  }
});

Deno.test("ask rejects after two failures with the provider's status and Retry-After", async () => {
  for (const onText of [undefined, () => {}]) {
    await using fake = startAiFake();
    fake.reply({ status: 503, headers: { "retry-after": "0" } });
    const asked = question(fake, onText && { onText });
    await fails(open(fake).ask(asked), "unavailable", 503);
    assert.equal(fake.asked.length, 2);
  }
});

Deno.test("ask does not wait for a Retry-After beyond the time limit", async () => {
  await using fake = startAiFake();
  fake.reply({ status: 429, headers: { "retry-after": "3600" } });
  await assert.rejects(open(fake).ask(question(fake)), { kind: "unavailable", retryAfter: 3600 });
  assert.equal(fake.asked.length, 1);
  const [date, later] = ["Sat, 31 Jan 2026 12:00:00 GMT", "Sat, 31 Jan 2026 12:01:00 GMT"];
  fake.reply({ status: 429, headers: { date, "retry-after": later } });
  await assert.rejects(open(fake).ask(question(fake)), { kind: "unavailable", retryAfter: 60 });
});

Deno.test("ask recognizes a rejected key and does not retry", async () => {
  await using fake = startAiFake();
  const apiKey = new Secret("gsk_unknown");
  await fails(open(fake).ask(question(fake, { apiKey })), "key", 401);
  await fails(open(fake).ask(question(fake, { apiKey, onText() {} })), "key", 401);
  fake.reply({ status: 403 });
  await fails(open(fake).ask(question(fake)), "key", 403);
  assert.equal(fake.asked.length, 1);
});

Deno.test("ask rejects at the time limit and aborts the request", async () => {
  for (const reply of [{ silent: true }, { silent: true, writes: '{"wo' }] as const) {
    for (const onText of [undefined, () => {}]) {
      await using fake = startAiFake();
      fake.reply(reply);
      await fails(open(fake, 200).ask(question(fake, onText && { onText })), "late");
      await until("the request is given up", () => fake.abandoned > 0);
    }
  }
});

Deno.test("ask rejects when the signal is aborted", async () => {
  await using fake = startAiFake();
  fake.reply({ silent: true });
  const control = new AbortController();
  const asking = open(fake).ask(question(fake, { signal: control.signal }));
  await until("it is asked", () => fake.asked.length === 1);
  control.abort();
  await fails(asking, "cancelled");
  await until("the request is given up", () => fake.abandoned > 0);
  await fails(open(fake).ask(question(fake, { signal: control.signal })), "cancelled");
  assert.equal(fake.asked.length, 1, "nothing is asked for a client that has disconnected already");
});

Deno.test("ask rejects when the signal is aborted during the pause", async () => {
  await using fake = startAiFake();
  const control = new AbortController();
  fake.reply(() => {
    setTimeout(() => control.abort());
    return { status: 429, headers: { "retry-after": "9" } };
  });
  await fails(open(fake).ask(question(fake, { signal: control.signal })), "cancelled");
});

Deno.test("ask rejects invalid, fenced, truncated and endless answers as malformed", async () => {
  const replies = [
    { writes: '{"word":' },
    { writes: "I would say corbel." },
    { writes: '```json\n{"word":"x"}\n```' },
    { writes: "" },
    { writes: '{"word":"x"}', finishReason: "length" },
    { writes: '{"word":"x"}', finishReason: "content_filter" },
    { writes: JSON.stringify({ word: "x".repeat(1_048_576) }) },
    { status: 200, body: "{" },
    { status: 200, body: "<html>" },
    { status: 200, body: '{"choices":[]}' },
  ];
  await using fake = startAiFake();
  for (const reply of replies) {
    fake.reply(reply);
    for (const onText of [undefined, () => {}]) {
      const what = JSON.stringify(reply).slice(0, 60);
      await assert.rejects(
        open(fake).ask(question(fake, onText && { onText })),
        { name: "ModelFailure", kind: "malformed" },
        what,
      );
    }
  }
});

Deno.test("ask does not follow redirects", async () => {
  await using fake = startAiFake();
  await using other = startAiFake();
  other.accept(fake.key);
  fake.reply({ status: 307, headers: { location: `${other.url}/chat/completions` } });
  await fails(open(fake).ask(question(fake)), "unavailable", 307);
  assert.equal(other.asked.length, 0);
});

Deno.test("ask rejects if the provider is unreachable", async () => {
  const fake = startAiFake();
  await fake[Symbol.asyncDispose]();
  await fails(open(fake).ask(question(fake)), "unavailable");
});

Deno.test("ask falls back to plain JSON with the schema in the prompt", async () => {
  await using fake = startAiFake();
  const body = JSON.stringify({
    error: { message: "This model does not support response format `json_schema`" },
  });
  fake.reply(({ schemaName }) => schemaName === null ? { writes: {} } : { status: 400, body });
  const model = open(fake);
  assert.deepEqual(await model.ask(question(fake)), {});
  assert.deepEqual(await model.ask(question(fake)), {});
  const [first, second, third] = fake.asked;
  assert.deepEqual([first!.schemaName, second!.schemaName, third!.schemaName], [
    "word",
    null,
    null,
  ]);
  assert.ok(second!.system.includes(JSON.stringify(SCHEMA)));
  fake.reply({ status: 400, body: '{"error":{"message":"too long"}}' });
  await fails(open(fake).ask(question(fake)), "unavailable", 400);
});
