import assert from "node:assert/strict";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { createOffload, type Offload, type OffloadedRequest } from "@/routes/offload.ts";
import { until } from "../acceptance/until.ts";

const MODULE = new URL("../support/failing_offload.ts", import.meta.url);
interface Opened extends AsyncDisposable {
  readonly offload: Offload;
  /** What its threads have printed, a line each. */
  readonly printed: readonly string[];
}

function open(idleMs?: number): Opened {
  const printed: string[] = [];
  const offload = createOffload({
    environment: {},
    print: (text) => void printed.push(text.trim()),
    module: MODULE,
    ...idleMs !== undefined && { idleMs },
  });
  return { offload, printed, [Symbol.asyncDispose]: () => offload[Symbol.asyncDispose]() };
}

/** The text that is answered to a request for it. */
const answerTo = async (
  opened: Opened,
  path: string,
  rest: Partial<OffloadedRequest> = {},
): Promise<string> => await (await opened.offload.answer(request(path, rest))).response.text();

const request = (path: string, rest: Partial<OffloadedRequest> = {}): OffloadedRequest => ({
  requestId: "1",
  projectId: null,
  hostname: "127.0.0.1",
  url: `http://localhost/${path}`,
  method: "POST",
  headers: [["x-one", "1"], ["set-cookie", "a=b"], ["set-cookie", "c=d"]],
  body: [],
  share: "a project",
  gone: new AbortController().signal,
  sent: Promise.resolve(),
  admitted() {},
  ...rest,
});

Deno.test("an answer comes back with its status, every header and its body", async () => {
  await using opened = open();
  const { response, problem } = await opened.offload.answer(request("hello"));
  assert.deepEqual([response.status, problem], [201, null]);
  assert.deepEqual(response.headers.getSetCookie(), ["a=b", "c=d"]);
  assert.equal(await response.text(), "hello");
});

Deno.test("one thread answers all requests, and is stopped in good order at the end", async () => {
  const opened = open();
  const answers = Array.from({ length: 20 }, (_, i) => opened.offload.answer(request(`a${i}`)));
  const texts = (await Promise.all(answers)).map(({ response }) => response.text());
  assert.deepEqual(await Promise.all(texts), Array.from({ length: 20 }, (_, i) => `a${i}`));
  await opened[Symbol.asyncDispose]();
  assert.deepEqual(opened.printed, ["opened", "stopped"]);
});

Deno.test("a thread that has nothing to do is ended, and started again when it is needed", async () => {
  await using opened = open(1);
  assert.equal(await answerTo(opened, "one"), "one");
  await until("ended", () => opened.printed.includes("stopped"));
  assert.equal(await answerTo(opened, "two"), "two");
  assert.deepEqual(opened.printed.slice(0, 3), ["opened", "stopped", "opened"]);
});

Deno.test("a thread is not ended while an answer of its own is being sent", async () => {
  await using opened = open(1);
  const sent = Promise.withResolvers<void>();
  const first = await opened.offload.answer(request("one", { sent: sent.promise }));
  assert.equal(await answerTo(opened, "two"), "two");
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(opened.printed, ["opened"]);
  await first.response.text();
  sent.resolve();
  await until("ended", () => opened.printed.includes("stopped"));
});

Deno.test("requests of one share take turns, and leave the thread to others", async () => {
  await using opened = open();
  const [one, other] = [new AbortController(), new AbortController()];
  const pending = [one, other].map(({ signal }) =>
    assert.rejects(opened.offload.answer(request("never", { gone: signal })), /aborted/)
  );
  let isAnswered = false;
  const third = answerTo(opened, "third").finally(() => isAnswered = true);
  assert.equal(await answerTo(opened, "another's", { share: "another project" }), "another's");
  assert.equal(isAnswered, false);
  one.abort();
  assert.equal(await third, "third");
  other.abort();
  await Promise.all(pending);
});

Deno.test("an answer is made as it is read, and ends with its reader", async () => {
  await using opened = open();
  const { response } = await opened.offload.answer(request("endless"));
  const reader = response.body!.getReader();
  for (let n = 0; n < 3; n++) assert.equal((await reader.read()).value!.length, 1000);
  await reader.cancel();
  await until("its source is told", () => opened.printed.includes("cancelled"));
});

Deno.test("a request that fails in the thread fails alone", async () => {
  await using opened = open();
  const never = new AbortController();
  const waiting = opened.offload.answer(request("never", { gone: never.signal }));
  await assert.rejects(opened.offload.answer(request("fails")), /^Error: why$/);
  assert.equal(await answerTo(opened, "other"), "other");
  never.abort();
  await assert.rejects(waiting, /aborted/, "the thread is told of a client that is gone");
  assert.deepEqual(opened.printed, ["opened"]);
});

const FAILURES = { throws: /thrown in a thread/, unusable: StoreUnavailable };

for (const [failure, expected] of Object.entries(FAILURES)) {
  Deno.test(`of a thread that fails (${failure}) all requests fail, and another one goes on`, async () => {
    await using opened = open();
    const waiting = assert.rejects(opened.offload.answer(request("never")), expected);
    await assert.rejects(opened.offload.answer(request(failure)), expected);
    await waiting;
    assert.equal(await answerTo(opened, "other"), "other");
    assert.equal(opened.printed.filter((line) => line === "opened").length, 2);
  });
}
