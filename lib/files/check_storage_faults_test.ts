/** Tests the check of buckets that do not work as they should. */

import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createEgress } from "../http/egress.ts";
import { createProject } from "../projects/create_project.ts";
import type { BlobPlace, Blobs } from "./blobs.ts";
import {
  type CheckResult,
  type CheckServices,
  type CheckStep,
  checkStorage,
} from "./check_storage.ts";
import { setStorage } from "@/tests/support/given.ts";

const SITE = "https://app.example.com";

type Bytes = Uint8Array<ArrayBuffer>;

/** Faults of a bucket. Every fault is optional. */
interface Faults {
  /** Returns the bytes that the bucket keeps of an upload. */
  readonly keeps?: (sent: Bytes) => Bytes;
  /** Returns the bytes that publishing stores. */
  readonly publishes?: (staged: Bytes) => Bytes;
  /** Returns the bytes that can be read with the keys. */
  readonly reads?: (stored: Bytes) => ReadableStream<Bytes>;
  /** Returns the bytes that can be read without keys. */
  readonly serves?: (stored: Bytes) => Bytes;
  /** Returns the bytes that joining the parts of an upload stores. */
  readonly joins?: (sent: Bytes) => Bytes;
  /** Place in which removed objects stay. */
  readonly keepsRemoved?: BlobPlace;
  /** Place whose objects the public URL serves in addition to stored ones. */
  readonly shows?: "staged" | "private";
  readonly publicHost?: string;
  /** Response to a preflight request. */
  readonly preflight?: { readonly status?: number; readonly headers?: Record<string, string> };
}

const ALLOWED = {
  "access-control-allow-origin": SITE,
  "access-control-allow-methods": "GET, PUT, HEAD",
  "access-control-allow-headers": "content-length, Content-Type",
};

const streamOf = (bytes: Bytes) => new Response(bytes).body!;

/** Opens a bucket in memory, with its own URL and a public one. */
function openBucket(faults: Faults) {
  const objects = {
    partial: new Map(),
    staged: new Map<string, Bytes>(),
    private: new Map<string, Bytes>(),
    derived: new Map<string, Bytes>(),
    stored: new Map(),
  };
  const cors = { "access-control-allow-origin": "*" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const [, area, place, path] = /^\/(bucket|public)\/(_incoming\/|_private\/)?(.+)$/.exec(
      pathname,
    )!;
    if (request.method === "OPTIONS") {
      const { status = 200, headers = ALLOWED } = faults.preflight ?? {};
      return new Response(null, { status, headers });
    }
    if (request.method === "PUT") {
      const sent = await request.bytes();
      objects.staged.set(path!, faults.keeps?.(sent) ?? sent);
      return new Response(null, { headers: cors });
    }
    const hiddenPlace = place === "_private/" ? "private" : place === undefined ? null : "staged";
    const isPublic = area === "public" && (hiddenPlace === null || faults.shows === hiddenPlace);
    const found = objects[hiddenPlace ?? "stored"].get(path!);
    if (request.method === "GET" && search === "?signed") return new Response(found);
    return isPublic && found !== undefined
      ? new Response(faults.serves?.(found) ?? found, { headers: cors })
      : new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403, headers: cors });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const published = `http://${faults.publicHost ?? "127.0.0.1"}:${server.addr.port}/public`;
  const statOf = (place: BlobPlace, path: string) => {
    const bytes = objects[place].get(path)?.length;
    return Promise.resolve(bytes === undefined ? null : { bytes });
  };
  const blobs: Blobs = {
    signUpload: ({ path }) => Promise.resolve(`${origin}/bucket/_incoming/${path}?signed`),
    pieces: {
      begin: () => Promise.resolve("upload"),
      countArrived: (_upload, { arrived }) => Promise.resolve(arrived),
      resume: ({ path }) => {
        const write = (bytes: Uint8Array) => {
          objects.private.set(path, faults.joins?.(bytes.slice()) ?? bytes.slice());
          return Promise.resolve();
        };
        const nothing = () => Promise.resolve();
        return Promise.resolve({
          safeBytes: 0,
          write,
          flush: nothing,
          [Symbol.asyncDispose]: nothing,
        });
      },
      join: ({ path, place }) => statOf(place, path),
      remove: () => Promise.resolve(),
    },
    stat: statOf,
    read: (place, path) => {
      const bytes = objects[place].get(path);
      return Promise.resolve(bytes && (faults.reads?.(bytes) ?? streamOf(bytes)));
    },
    publish(path) {
      const staged = objects.staged.get(path)!;
      objects.stored.set(path, faults.publishes?.(staged) ?? staged);
      return statOf("stored", path);
    },
    signReading: ({ path }) => Promise.resolve(`${origin}/bucket/_private/${path}?signed`),
    copy(path, _type, place) {
      objects[place].set(path, objects.stored.get(path));
      return statOf(place, path);
    },
    putDerived: () => Promise.reject(new Error("Unexpected call")),
    remove(place, path) {
      if (place !== faults.keepsRemoved) objects[place].delete(path);
      return Promise.resolve();
    },
    list: () => Promise.reject(new Error("Unexpected call")),
    publicUrl: (path) => `${published}/${path}`,
    ping: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return { origin, blobs };
}

/** Checks a bucket with these faults and returns the steps. */
async function stepsWith(
  faults: Faults,
  changes: Partial<CheckServices> = {},
): Promise<readonly CheckStep[]> {
  await using opened = await openTestServices({
    env: { ALLOW_PRIVATE_ENDPOINTS: "true", PUBLIC_URL: SITE },
  });
  const { services } = opened;
  const { origin, blobs } = openBucket(faults);
  await using _bucket = blobs;
  const { projectId } = await createProject(services, { name: "Files", siteUrl: SITE });
  await setStorage(services, projectId, {
    endpoint: origin,
    bucket: "bucket",
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
  const blobStores = { ...services.blobStores, blobsOf: () => Promise.resolve(blobs) };
  return (await checkStorage({ ...services, blobStores, ...changes }, projectId)).steps;
}

/** Checks a bucket with these faults and returns the steps that are not ok. */
const troubleWith = async (faults: Faults): Promise<Record<string, CheckResult>> =>
  Object.fromEntries(
    (await stepsWith(faults))
      .filter(({ result }) => result !== "ok")
      .map(({ step, result }) => [step, result]),
  );

const shorter = (bytes: Bytes) => bytes.slice(1);
const altered = (bytes: Bytes) => bytes.map((byte) => byte ^ 1);
const preflight = `preflight of PUT from ${SITE}`;

const CASES: readonly (readonly [name: string, Faults, Record<string, CheckResult>])[] = [
  ["works", {}, {}],
  ["keeps fewer bytes than were sent", { keeps: shorter }, {
    write: "failed",
    "staging is private": "skipped",
    publish: "skipped",
    read: "skipped",
    "public reading": "skipped",
    "private files are private": "skipped",
    "uploads in pieces": "skipped",
    [`GET from ${SITE}`]: "skipped",
    [`HEAD from ${SITE}`]: "skipped",
  }],
  ["copies fewer bytes than were staged", { publishes: shorter }, {
    publish: "failed",
    read: "skipped",
    "public reading": "skipped",
    "private files are private": "skipped",
    "uploads in pieces": "skipped",
    [`GET from ${SITE}`]: "skipped",
    [`HEAD from ${SITE}`]: "skipped",
  }],
  ["returns other bytes to a read", { reads: (bytes) => streamOf(altered(bytes)) }, {
    read: "failed",
  }],
  ["returns fewer bytes to a read", { reads: (bytes) => streamOf(shorter(bytes)) }, {
    read: "failed",
  }],
  ["never ends the response to a read", {
    reads: (bytes) => new ReadableStream({ pull: (controller) => controller.enqueue(bytes) }),
  }, { read: "failed" }],
  ["serves an empty file", { serves: () => new Uint8Array() }, { "public reading": "failed" }],
  ["serves another file", { serves: altered }, { "public reading": "failed" }],
  ["serves staged objects at its public URL", { shows: "staged" }, {
    "staging is private": "warning",
  }],
  ["serves private objects at its public URL", { shows: "private" }, {
    "private files are private": "failed",
  }],
  ["joins fewer bytes than were sent", { joins: shorter }, { "uploads in pieces": "failed" }],
  ["keeps removed private objects", { keepsRemoved: "private" }, { remove: "failed" }],
  ["keeps removed staged objects", { keepsRemoved: "staged" }, { remove: "failed" }],
  ["keeps removed stored objects", { keepsRemoved: "stored" }, { remove: "failed" }],
  ["refuses a preflight in spite of its CORS headers", {
    preflight: { status: 403, headers: ALLOWED },
  }, {
    [preflight]: "failed",
  }],
  ...Object.keys(ALLOWED).map((name) =>
    [
      `answers a preflight without ${name}`,
      {
        preflight: {
          headers: Object.fromEntries(Object.entries(ALLOWED).filter(([other]) => other !== name)),
        },
      },
      { [preflight]: "failed" },
    ] as const
  ),
  ["allows another origin", {
    preflight: { headers: { ...ALLOWED, "access-control-allow-origin": `${SITE}.evil.example` } },
  }, { [preflight]: "failed" }],
  ["allows every request with a wildcard", {
    preflight: {
      headers: Object.fromEntries(Object.keys(ALLOWED).map((name) => [name, "*"])),
    },
  }, {}],
];

for (const [name, faults, expected] of CASES) {
  Deno.test(`checkStorage of a bucket that ${name}`, async () => {
    assert.deepEqual(await troubleWith(faults), expected);
  });
}

Deno.test("checkStorage requests the public URL through the egress guard", async () => {
  using egress = createEgress({
    // Admits the bucket itself, as if its address were public.
    admits: (address) => address === "127.0.0.1",
    lookup: (_name, _options, callback) => callback(null, [{ address: "10.0.0.1", family: 4 }]),
  });
  const steps = await stepsWith({ publicHost: "cdn.test" }, { egress });
  const refused = steps.filter(({ message }) =>
    /"cdn\.test" is unknown or not a public address/.test(message)
  );
  assert.deepEqual(refused.map(({ step, result }) => [step, result]), [
    ["staging is private", "failed"],
    ["public reading", "failed"],
    [`GET from ${SITE}`, "failed"],
    [`HEAD from ${SITE}`, "failed"],
    ["private files are private", "failed"],
  ]);
});
