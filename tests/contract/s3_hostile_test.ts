/** Behaviour of the driver on a malicious store. */

import assert from "node:assert/strict";
import { BLOB_CALL_MS, type Blobs, BlobsUnavailable } from "@/lib/files/blobs.ts";
import { openS3Blobs } from "@/lib/files/s3/blobs.ts";
import { Secret } from "@/lib/crypto/secret.ts";
import { aPath, newProject, pathIn, TYPE } from "./blobs_fixtures.ts";

const MiB = 1_048_576;
const PROJECT = newProject();

function serveStore(answer: (request: Request) => Response) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.body?.cancel();
    return answer(request);
  });
  const blobs = openS3Blobs({
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    region: "us-east-1",
    bucket: "files",
    pathStyle: true,
    publicUrl: null,
    accessKeyId: "id",
    secretAccessKey: new Secret("secret"),
  });
  return {
    blobs,
    async [Symbol.asyncDispose]() {
      await blobs[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

const xml = (body: BodyInit, status = 200) =>
  new Response(body, { status, headers: { "content-type": "application/xml" } });

/** Response for `publish`, which first checks whether the object exists. */
const foundResponse = () => new Response(null, { headers: { "content-length": "5", etag: '"a"' } });

const page = { prefix: `${PROJECT}/`, after: null, limit: 10 };

/** Calls for which the SDK reads the complete response. */
const CALLS: Readonly<Record<string, (blobs: Blobs) => Promise<unknown>>> = {
  ping: (blobs) => blobs.ping(),
  publish: (blobs) => blobs.publish(aPath(), TYPE),
  list: (blobs) => blobs.list("stored", page),
};

/** Calls for which the SDK reads a complete error response. */
const REFUSED = { ...CALLS, read: (blobs: Blobs) => blobs.read("stored", aPath()) };

for (const status of [200, 403, 500]) {
  Deno.test(`s3: an endless response of ${status} is read up to the limit of a response`, async () => {
    const chunk = new Uint8Array(262_144).fill(32);
    for (const [name, call] of Object.entries(status === 200 ? CALLS : REFUSED)) {
      let sent = 0;
      await using store = serveStore(({ method }) => {
        if (method === "HEAD") return foundResponse();
        const pull = (controller: ReadableStreamDefaultController) => {
          sent += chunk.length;
          controller.enqueue(chunk);
        };
        return xml(new ReadableStream({ pull }), status);
      });
      await assert.rejects(call(store.blobs), BlobsUnavailable, name);
      assert.ok(sent > 0 && sent < 64 * MiB, `${name}: ${sent} bytes were sent`);
    }
  });
}

Deno.test("s3: a call whose response is slow ends at its deadline", async () => {
  const timers = new Set<ReturnType<typeof setInterval>>();
  await using store = serveStore(() => {
    let timer: ReturnType<typeof setInterval>;
    return xml(
      new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 100);
          timers.add(timer);
        },
        cancel: () => clearInterval(timer),
      }),
    );
  });
  let late: ReturnType<typeof setTimeout>;
  const stillUnderWay = new Promise((resolve) =>
    late = setTimeout(resolve, 2 * BLOB_CALL_MS, "late")
  );
  const ended = store.blobs.list("stored", page).then(() => "answered", (error) => error);
  const first = await Promise.race([ended, stillUnderWay]);
  clearTimeout(late!);
  for (const timer of timers) clearInterval(timer);
  assert.ok(first instanceof BlobsUnavailable, String(first));
  assert.match(first.message, /did not answer in time/);
});

Deno.test("s3: a list that repeats pages or returns foreign keys is a failure", async () => {
  const [one, two] = [pathIn(PROJECT), pathIn(PROJECT)].toSorted() as [string, string];
  const cases: readonly (readonly [after: string | null, keys: readonly string[]])[] = [
    [one, [one]],
    [two, [one]],
    [null, [two, one]],
    [null, [one, one]],
    [null, [aPath()]],
  ];
  for (const [after, keys] of cases) {
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
    await using store = serveStore(() =>
      xml(
        `<ListBucketResult><IsTruncated>true</IsTruncated>${contents.join("")}</ListBucketResult>`,
      )
    );
    const listed = store.blobs.list("stored", { ...page, after });
    await assert.rejects(listed, BlobsUnavailable, `${after}: ${keys}`);
  }
});
