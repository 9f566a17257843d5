/** What the driver makes of a store that answers late, wrongly, or something else than before. */

import assert from "node:assert/strict";
import { AbortMultipartUploadCommand } from "@aws-sdk/client-s3";
import {
  BLOB_CALL_MS,
  type Blobs,
  BlobsUnavailable,
  type PiecedUpload,
  PiecesLost,
} from "@/lib/files/blobs.ts";
import { openS3Blobs } from "@/lib/files/s3/blobs.ts";
import type { S3Options } from "@/lib/files/s3/client.ts";
import { Secret } from "@/lib/crypto/secret.ts";
import { type Fate, standBetween } from "./between.ts";
import { aPath, assertHolds, contents, manyBytes, TYPE } from "./blobs_fixtures.ts";
import { onS3, openBucket, type OpenedBucket } from "./s3_fixtures.ts";

const SECRET = "the secret of a store";

const optionsAt = (endpoint: string): S3Options => ({
  endpoint,
  region: "us-east-1",
  bucket: "files",
  pathStyle: true,
  publicUrl: null,
  accessKeyId: "id",
  secretAccessKey: new Secret(SECRET),
});

/** A store that answers as it is told to, and the methods that it was asked with. */
function serveStore(answer: (request: Request) => Response) {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    asked.push(request.method);
    await request.body?.cancel();
    return answer(request);
  });
  return {
    asked,
    options: optionsAt(`http://127.0.0.1:${server.addr.port}`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, {
    status,
    headers: { "content-type": "application/xml", ...headers },
  });

const page = { prefix: "", after: null, limit: 10 };

const CALLS: Readonly<Record<string, (blobs: Blobs, path: string) => Promise<unknown>>> = {
  ping: (blobs) => blobs.ping(),
  stat: (blobs, path) => blobs.stat("stored", path),
  read: (blobs, path) => blobs.read("stored", path),
  publish: (blobs, path) => blobs.publish(path, TYPE),
  remove: (blobs, path) => blobs.remove("stored", path),
  list: (blobs) => blobs.list("stored", page),
};

/** Fails if a call of the driver is not over long after it must be. */
async function ended(call: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(new Error("still under way")), 2 * BLOB_CALL_MS);
  });
  const result = await Promise.race([call.then(() => null, (error) => error), late]);
  clearTimeout(timer);
  return result;
}

Deno.test("s3: every call to a store that never answers comes to an end by itself", async () => {
  // Somebody listens there, and says nothing.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  {
    await using blobs = openS3Blobs(optionsAt(`http://127.0.0.1:${listener.addr.port}`));
    const calls = Object.entries(CALLS).map(async ([name, call]) => {
      const error = await ended(call(blobs, aPath()));
      assert.ok(error instanceof BlobsUnavailable, `${name}: ${error}`);
      assert.match(error.message, /did not answer in time/, name);
    });
    await Promise.all(calls);
  }
  listener.close();
  await accepting;
  for (const connection of accepted) connection.close();
});

Deno.test("s3: a store that is overloaded is asked once more and no more, however long it asks to wait", async () => {
  await using store = serveStore(() => refusal(503, "SlowDown", { "retry-after": "3600" }));
  await using blobs = openS3Blobs(store.options);
  const error = await ended(blobs.list("stored", page));
  assert.ok(error instanceof BlobsUnavailable);
  assert.match(error.message, /asks for fewer requests/);
  assert.deepEqual(store.asked, ["GET", "GET"]);
});

Deno.test("s3: a refusal is not tried again", async () => {
  for (
    const [status, code] of [[403, "AccessDenied"], [400, "InvalidRequest"], [404, "NoSuchBucket"]]
  ) {
    await using store = serveStore(() => refusal(status as number, code as string));
    await using blobs = openS3Blobs(store.options);
    await assert.rejects(blobs.list("stored", page), new RegExp(`${status} ${code}`));
    assert.equal(store.asked.length, 1, String(code));
    await assert.rejects(
      blobs.read("stored", aPath()),
      BlobsUnavailable,
      "is not taken for absence",
    );
  }
});

Deno.test("s3: a copy that fails after it began with 200 is a failure", async () => {
  await using store = serveStore((request) =>
    request.method === "HEAD"
      ? new Response(null, { headers: { "content-length": "5", etag: '"a"' } })
      : refusal(200, "InternalError")
  );
  await using blobs = openS3Blobs(store.options);
  await assert.rejects(blobs.publish(aPath(), TYPE), BlobsUnavailable);
});

Deno.test("s3: only the object that was looked at is copied; who replaces it each time publishes nothing", async () => {
  // Ceph 16 does not heed the condition: there the length of what was stored has to do.
  const conditions: (string | null)[] = [];
  await using store = serveStore(({ method, headers }) => {
    if (method === "HEAD") {
      return new Response(null, { headers: { "content-length": "5", etag: '"tag of it"' } });
    }
    conditions.push(headers.get("x-amz-copy-source-if-match"));
    return refusal(412, "PreconditionFailed");
  });
  await using blobs = openS3Blobs(store.options);
  await assert.rejects(blobs.publish(aPath(), TYPE), BlobsUnavailable);
  assert.deepEqual(conditions, Array(3).fill('"tag of it"'));
});

Deno.test("s3: what is no answer of a store is a failure, and no secret is told", async () => {
  const answers = [
    () => new Response("<html>Bad gateway</html>", { status: 502 }),
    () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
    () => new Response("{}", { status: 418 }),
    () => refusal(301, "PermanentRedirect", { location: "http://127.0.0.1:1/" }),
    () => refusal(307, "TemporaryRedirect", { location: "http://127.0.0.1:1/" }),
  ];
  for (const answer of answers) {
    await using store = serveStore(answer);
    await using blobs = openS3Blobs(store.options);
    const error = await ended(blobs.ping());
    assert.ok(error instanceof BlobsUnavailable, `${answer}: ${error}`);
    assert.ok(!error.message.includes(SECRET));
  }
});

Deno.test("s3: a part that an overloaded store refuses is tried once more, and is no rest of one", async () => {
  await using store = serveStore(() => refusal(503, "SlowDown"));
  await using blobs = openS3Blobs(store.options);
  const upload = piecedUpload(10);
  await using writer = await blobs.pieces.goOn(upload, { name: "of an upload", arrived: 0 });
  await assert.rejects(writer.write(new Uint8Array(10)), BlobsUnavailable);
  assert.deepEqual(store.asked, ["PUT", "PUT"]);
  await writer.keep(() => Promise.reject(new Error("noted")));
  assert.equal(writer.safe, 0);
  assert.equal(store.asked.length, 2, "nothing of it is kept elsewhere");
});

onS3("a kept connection that is dead costs nobody an answer", async () => {
  await using opened = await openBucket();
  const path = aPath();
  await opened.stage(path, "hello");
  let requests = 0;
  const cutting = (): Fate => ++requests % 2 === 0 ? "cut" : "pass";
  await using between = standBetween(opened.options.endpoint!, cutting);
  await using blobs = openS3Blobs({ ...opened.options, endpoint: between.origin });
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await blobs.stat("staged", path), { bytes: 5 });
  }
  assert.ok(requests > 3, "none was cut");
});

/** Does something between the moment in which the driver asks for a copy and the copy. */
const whenCopied = ({ endpoint }: S3Options, work: () => Promise<void>) =>
  standBetween(endpoint!, async (head): Promise<Fate> => {
    if (/^x-amz-copy-source:/im.test(head)) await work();
    return "pass";
  });

onS3("what is replaced while it is copied is published as it is then, whole", async () => {
  await using opened = await openBucket();
  const { stage, options } = opened;
  const path = aPath();
  await stage(path, "first");
  let copies = 0;
  await using between = whenCopied(options, async () => {
    if (++copies === 1) await stage(path, "another");
  });
  await using blobs = openS3Blobs({ ...options, endpoint: between.origin });
  assert.deepEqual(await blobs.publish(path, TYPE), { bytes: 7 });
  assert.ok(copies > 0);
  const stored = await contents(opened.blobs, "stored", path);
  assert.equal(new TextDecoder().decode(stored!), "another");
});

onS3("what is removed while it is copied is published by nobody", async () => {
  await using opened = await openBucket();
  const { stage, options } = opened;
  const path = aPath();
  await stage(path, "hello");
  await using between = whenCopied(options, () => opened.blobs.remove("staged", path));
  await using blobs = openS3Blobs({ ...options, endpoint: between.origin });
  assert.equal(await blobs.publish(path, TYPE), null);
  assert.equal(await opened.blobs.stat("stored", path), null);
});

onS3("a stream that stops coming fails instead of waiting for ever", async () => {
  await using opened = await openBucket();
  const path = aPath();
  await opened.stage(path, "x".repeat(300_000));
  await opened.blobs.publish(path, TYPE);
  await using store = serveStore(() => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
    });
    return new Response(body, { headers: { "content-length": "1000" } });
  });
  await using blobs = openS3Blobs(store.options);
  const stream = await blobs.read("stored", path);
  const error = await ended(new Response(stream).bytes());
  assert.ok(error instanceof Error && error.message !== "still under way", String(error));
});

/** A machine whose clock is wrong by so much. */
function wrongClock(ms: number): Disposable {
  const real = globalThis.Date;
  globalThis.Date = class extends real {
    constructor(given = real.now() + ms) {
      super(given);
    }
    static override now = () => real.now() + ms;
  } as DateConstructor;
  return { [Symbol.dispose]: () => void (globalThis.Date = real) };
}

onS3("a clock that differs from the store's is told, and not made up for in secret", async () => {
  await using opened = await openBucket();
  await opened.blobs.ping();
  for (const [ms, told] of [[-3_600_000, /behind/], [3_600_000, /ahead/]] as const) {
    await using blobs = openS3Blobs(opened.options);
    using _wrong = wrongClock(ms);
    for (let time = 0; time < 2; time++) {
      await assert.rejects(blobs.ping(), (error: Error) => {
        assert.ok(error instanceof BlobsUnavailable);
        assert.match(error.message, /clock differs from the store's by 3[56]\d\d s.*NTP/);
        assert.match(error.message, told);
        return true;
      });
    }
  }
});

const PART = 5_242_880;

const piecedUpload = (bytes: number): PiecedUpload => ({
  path: aPath(),
  bytes,
  contentType: TYPE,
  place: "stored",
});

/** Writes an upload from where it is noted to a place, and notes what is kept, also where it fails. */
async function goOn(
  { pieces }: Blobs,
  upload: PiecedUpload,
  noted: { name: string; arrived: number },
  { body, to }: { body: Uint8Array; to: number },
): Promise<void> {
  assert.equal(await pieces.arrived(upload, noted), noted.arrived);
  await using writer = await pieces.goOn(upload, noted);
  const note = () => Promise.resolve(void (noted.arrived = writer.safe));
  try {
    await writer.write(body.subarray(noted.arrived, to));
  } finally {
    await writer.keep(note).then(note, () => {});
  }
}

/** Cuts so many of the next requests for parts. */
function cuttingParts({ options }: OpenedBucket) {
  let cuts = 0;
  const between = standBetween(options.endpoint!, (head): Fate => {
    const isCut = /^PUT \S+[?&]partNumber=/.test(head) && cuts > 0;
    if (isCut) cuts--;
    return isCut ? "cut" : "pass";
  });
  return { between, cut: (times: number) => void (cuts = times), left: () => cuts };
}

onS3("a part that the store refuses has not arrived, and is sent again", async () => {
  await using opened = await openBucket();
  const { between, cut } = cuttingParts(opened);
  await using _between = between;
  await using blobs = openS3Blobs({ ...opened.options, endpoint: between.origin });
  const body = manyBytes(2 * PART + 100);
  for (const before of [0, 70_000]) {
    const upload = piecedUpload(body.length);
    const noted = { name: await blobs.pieces.begin(upload), arrived: 0 };
    await goOn(blobs, upload, noted, { body, to: before });
    for (const [from, to] of [[before, PART + 5], [PART + 5, body.length]] as const) {
      cut(Infinity);
      await assert.rejects(goOn(blobs, upload, noted, { body, to }), BlobsUnavailable);
      assert.equal(noted.arrived, from);
      cut(0);
      await goOn(blobs, upload, noted, { body, to });
      assert.equal(noted.arrived, to);
    }
    assert.deepEqual(await blobs.pieces.join(upload, noted.name), { bytes: body.length });
    await assertHolds(blobs, "stored", upload.path, body);
  }
});

onS3("one request for a part that is cut costs nobody an answer", async () => {
  await using opened = await openBucket();
  const { between, cut, left } = cuttingParts(opened);
  await using _between = between;
  await using blobs = openS3Blobs({ ...opened.options, endpoint: between.origin });
  const body = manyBytes(PART + 100);
  const upload = piecedUpload(body.length);
  const noted = { name: await blobs.pieces.begin(upload), arrived: 0 };
  cut(1);
  await goOn(blobs, upload, noted, { body, to: body.length });
  assert.equal(left(), 0);
  assert.deepEqual(await blobs.pieces.join(upload, noted.name), { bytes: body.length });
  await assertHolds(blobs, "stored", upload.path, body);
});

onS3("an upload in parts that the bucket has dropped is lost, and nothing is joined", async () => {
  await using opened = await openBucket();
  const { blobs, bucket } = opened;
  const body = manyBytes(PART + 100);
  const upload = piecedUpload(body.length);
  const noted = { name: await blobs.pieces.begin(upload), arrived: 0 };
  await goOn(blobs, upload, noted, { body, to: 1000 });
  const dropped = { Bucket: bucket.name, Key: upload.path, UploadId: noted.name };
  await bucket.client.send(new AbortMultipartUploadCommand(dropped));
  await assert.rejects(goOn(blobs, upload, noted, { body, to: body.length }), PiecesLost);
  assert.equal(await blobs.pieces.join(upload, noted.name), null);
  const again = { name: await blobs.pieces.begin(upload), arrived: 0 };
  await goOn(blobs, upload, again, { body, to: body.length });
  assert.deepEqual(await blobs.pieces.join(upload, again.name), { bytes: body.length });
  await assertHolds(blobs, "stored", upload.path, body);
});

onS3(
  "the rest of another part, as a process writes it that froze, is not taken for that of this one",
  async () => {
    await using opened = await openBucket();
    const { blobs } = opened;
    const body = manyBytes(2 * PART);
    const upload = piecedUpload(body.length);
    const noted = { name: await blobs.pieces.begin(upload), arrived: 0 };
    await using frozen = await blobs.pieces.goOn(upload, noted);
    await frozen.write(body.subarray(0, PART - 1));
    await goOn(blobs, upload, noted, { body, to: PART + 1000 });
    assert.equal(await blobs.pieces.arrived(upload, noted), PART + 1000);
    await frozen.keep(() => Promise.resolve());
    noted.arrived = await blobs.pieces.arrived(upload, noted);
    assert.equal(noted.arrived, PART, "the rest has to be sent again");
    await goOn(blobs, upload, noted, { body, to: body.length });
    assert.deepEqual(await blobs.pieces.join(upload, noted.name), { bytes: body.length });
    await assertHolds(blobs, "stored", upload.path, body);
  },
);

onS3("who may not note how far it has come writes over nothing", async () => {
  await using opened = await openBucket();
  const { blobs } = opened;
  const body = manyBytes(100);
  const upload = piecedUpload(200);
  const noted = { name: await blobs.pieces.begin(upload), arrived: 0 };
  await goOn(blobs, upload, noted, { body, to: 90 });
  await using late = await blobs.pieces.goOn(upload, { ...noted, arrived: 0 });
  await late.write(body.subarray(0, 5));
  const over = new Error("the turn is over");
  await assert.rejects(late.keep(() => Promise.reject(over)), over);
  assert.equal(await blobs.pieces.arrived(upload, noted), 90);
});
