import assert from "node:assert/strict";
import { createEgress } from "../http/egress.ts";
import { Problem } from "../problems.ts";
import { BlobsUnavailable } from "./blobs.ts";
import { sendUpload } from "./send_upload.ts";

interface Store extends AsyncDisposable {
  readonly url: URL;
  /** Uploads that arrived completely. */
  readonly kept: string[];
}

/** Starts a store that responds with a status, before or after it has read the upload. */
function startStore({ status = 200, isEarly = false } = {}): Store {
  const kept: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (isEarly) return new Response("no", { status });
    try {
      const text = await request.text();
      if (request.headers.get("content-length") === String(text.length)) kept.push(text);
    } catch {
      // The upload was aborted.
    }
    return new Response("ok", { status });
  });
  return {
    url: new URL(`http://127.0.0.1:${server.addr.port}/`),
    kept,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Yields chunks that share one buffer. */
async function* chunks(...texts: string[]) {
  const buffer = new Uint8Array(100_000);
  for (const text of texts) {
    await Promise.resolve();
    buffer.fill(0);
    yield buffer.subarray(0, new TextEncoder().encodeInto(text, buffer).written);
  }
}

const send = (url: URL, bytes: number, texts: readonly string[]) =>
  sendUpload({ url, bytes, contentType: "text/plain" }, chunks(...texts));

const isUnavailable = (error: unknown) => error instanceof BlobsUnavailable;
const isProblem = (code: string) => (error: unknown) =>
  error instanceof Problem && error.code === code;

Deno.test("sendUpload sends bytes as they arrive", async () => {
  await using store = startStore();
  const texts = Array.from({ length: 40 }, (_, i) => String(i % 10).repeat(50_000));
  await send(store.url, 2_000_000, texts);
  assert.deepEqual(store.kept, [texts.join("")]);
});

Deno.test("sendUpload refuses fewer or more bytes than announced, and the store keeps none", async () => {
  await using store = startStore();
  await assert.rejects(send(store.url, 10, ["12345"]), isProblem("UPLOAD_TOO_SHORT"));
  await assert.rejects(send(store.url, 4, ["12345"]), isProblem("UPLOAD_TOO_LONG"));
  await assert.rejects(send(store.url, 1, []), isProblem("UPLOAD_TOO_SHORT"));
  assert.deepEqual(store.kept, []);
});

Deno.test("sendUpload throws BlobsUnavailable if the store refuses or cannot be reached", async () => {
  await using late = startStore({ status: 403 });
  await assert.rejects(send(late.url, 5, ["12345"]), isUnavailable);
  await using early = startStore({ status: 503, isEarly: true });
  const texts = Array.from({ length: 200 }, () => "x".repeat(100_000));
  await assert.rejects(send(early.url, 20_000_000, texts), isUnavailable);
  await assert.rejects(send(new URL("http://127.0.0.1:1/"), 5, ["12345"]), isUnavailable);
});

Deno.test("sendUpload with guarded agents does not connect to a private address", async () => {
  await using store = startStore();
  using egress = createEgress();
  const upload = { url: store.url, bytes: 5, contentType: "text/plain", agents: egress.agents };
  await assert.rejects(sendUpload(upload, chunks("12345")), isUnavailable);
  assert.deepEqual(store.kept, []);
});
