/** Uploads and downloads, beside bare servers that do the least that such a thing takes. */

import { fileBytes } from "@/tests/support/file_bytes.ts";
import { dirname } from "node:path";
import { loadConfig } from "@/lib/runtime/config.ts";
import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { type RequestedUpload, requestUpload } from "@/lib/files/request_upload.ts";
import {
  STORAGE_USAGE,
  type StorageUsageRecord,
  type UploadRecord,
  UPLOADS,
} from "@/lib/files/uploads.ts";
import { NOTHING } from "@/lib/files/ledger.ts";
import { newPath } from "@/lib/files/paths.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { eq } from "@/lib/store/filter.ts";
import { FILLER, load, type Target } from "./load.ts";
import { ask, median, ratio } from "./measuring.ts";
import { type Program, residentMb, startBare, startCorbel } from "./process.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

/** Files kept in a folder. */
export const FILE_ROWS: readonly Row[] = [
  {
    name: "put_vs_raw",
    what: "10 MB uploads over a bare server that streams them to a file with the same fsyncs",
    target: 0.8,
    atLeast: true,
    measure: puts,
  },
  {
    name: "get_vs_raw",
    what: "10 MB downloads over a bare server that streams the same file",
    target: 0.8,
    atLeast: true,
    measure: gets,
  },
  {
    name: "upload_rss",
    what: "growth of resident memory, in MB, by 32 uploads of 10 MB at once",
    target: 64,
    atLeast: false,
    measure: uploadMemory,
  },
  {
    name: "resumable_vs_put",
    what: "10 MB uploads by one PATCH each over the same by PUT, eight at once",
    target: 0.8,
    atLeast: true,
    measure: resumables,
  },
  {
    name: "resumable_rss",
    what: "growth of resident memory, in MB, by 16 uploads of 10 MB at once by PATCH",
    target: 64,
    atLeast: false,
    measure: resumableMemory,
  },
  {
    name: "confirm_vs_write",
    what: "uploads confirmed, over a bare server that does one durable write per request",
    target: 0.3,
    atLeast: true,
    measure: confirms,
  },
];

const LARGE_BYTES = 10 * 1_048_576;
const PATTERN_BYTES = 20_000;
const TYPE = "application/octet-stream";
/** Of which the first bytes are looked at. */
const PICTURE = "image/png";
const UPLOADS_AT_ONCE = 8;
/** A busy disk takes a second for the few that are under way. */
const LARGE_SECONDS = 2;

export const filesOf = ({ folder }: Setting) => `${dirname(folder)}/files`;

export const corbelOn = (setting: Setting) =>
  startCorbel(setting.folder, { STORAGE_URL: `file:${filesOf(setting)}`, RATE_LIMITS: "off" });

/** A second process on the stores that Corbel serves. */
export const beside = (setting: Setting): Promise<Services> =>
  openServices(
    loadConfig({
      DATABASE_URL: `sqlite:${setting.folder}`,
      STORAGE_URL: `file:${filesOf(setting)}`,
    }),
    { log: createLog("error", (text) => console.error(text)) },
  );

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Uploads of a size, each of a project of its own: one holds two of 10 MB. */
async function requested(setting: Setting, count: number, bytes: number) {
  await using services = await beside(setting);
  const uploads: RequestedUpload[] = [];
  for (let i = 0; i < count; i++) {
    const { projectId } = await createProject(services, { name: "Files", siteUrl: null });
    const input = { filename: "photo.png", contentType: TYPE, bytes };
    uploads.push(await requestUpload(services, projectId, input));
  }
  return uploads;
}

const putTarget = (
  { url }: Program,
  uploads: readonly RequestedUpload[],
  bodyBytes: number,
): Target => ({
  url,
  method: "PUT",
  headers: { "content-type": TYPE },
  bodyBytes,
  requests: uploads.map(({ signedUrl }) => ({ path: new URL(signedUrl!).pathname })),
});

function puts(setting: Setting): Promise<number> {
  return withFolder(async (folder) => {
    const uploads = await requested(setting, UPLOADS_AT_ONCE, LARGE_BYTES);
    await using corbel = await corbelOn(setting);
    await using bare = await startBare("bare", "put", folder);
    const target = putTarget(corbel, uploads, LARGE_BYTES);
    const options = { connections: UPLOADS_AT_ONCE, seconds: LARGE_SECONDS };
    const measured = await ratio(target, { ...target, url: bare.url }, options);
    const path = await confirm(setting, uploads[0]!, LARGE_BYTES);
    const { body } = await ask({ url: `${corbel.url}/files/${path}` });
    const sent = FILLER.repeat(LARGE_BYTES);
    if (body !== sent || await Deno.readTextFile(`${folder}/whole0`) !== sent) {
      throw new Error("What was put is not what is there");
    }
    return measured;
  });
}

/** Resolves to the file's path. */
async function confirm(
  setting: Setting,
  { filePath: path }: RequestedUpload,
  bytes: number,
): Promise<string> {
  await using services = await beside(setting);
  await confirmUpload(services, { projectId: path.split("/")[0]!, ownerId: null }, { path, bytes });
  return path;
}

/** A confirmed file; resolves to its path. */
async function kept(setting: Setting, corbel: Program, bytes: number): Promise<string> {
  const [upload] = await requested(setting, 1, bytes);
  await putOnce(corbel, upload!, crypto.getRandomValues(new Uint8Array(PATTERN_BYTES)), bytes);
  return await confirm(setting, upload!, bytes);
}

async function putOnce(
  corbel: Program,
  { signedUrl }: RequestedUpload,
  pattern: Uint8Array,
  bytes: number,
): Promise<void> {
  const body = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += pattern.length) {
    body.set(pattern.subarray(0, Math.min(pattern.length, bytes - at)), at);
  }
  const { pathname } = new URL(signedUrl!);
  const headers = { "content-type": TYPE };
  const answer = await fetch(corbel.url + pathname, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`PUT answered ${answer.status}: ${await answer.text()}`);
  await answer.body?.cancel();
}

async function gets(setting: Setting): Promise<number> {
  await using corbel = await corbelOn(setting);
  const path = await kept(setting, corbel, LARGE_BYTES);
  await using bare = await startBare("bare", "get", `${filesOf(setting)}/${path}`);
  const targets = [{ url: `${corbel.url}/files/${path}` }, { url: bare.url }] as const;
  const [own, same] = [await ask(targets[0]), await ask(targets[1])];
  if (own.body !== same.body) throw new Error("The two sides do not answer the same bytes");
  return await ratio(...targets, { seconds: LARGE_SECONDS });
}

const MEMORY_UPLOADS = 32;
const MEMORY_ROUNDS = 3;

/** Of the highest peak over what the process had before, after uploads one at a time. */
async function uploadMemory(setting: Setting): Promise<number> {
  const uploads = await requested(setting, MEMORY_UPLOADS, LARGE_BYTES);
  await using corbel = await corbelOn(setting);
  const target = putTarget(corbel, uploads, LARGE_BYTES);
  await load(target, { connections: 1, seconds: 1 });
  return await memoryGrowth(corbel, async () => {
    for (let round = 0; round < MEMORY_ROUNDS; round++) {
      await load(target, { connections: MEMORY_UPLOADS, seconds: 2 });
    }
  });
}

async function memoryGrowth({ pid }: Program, work: () => Promise<void>): Promise<number> {
  const before = await residentMb(pid);
  let [peak, isOver] = [before, false];
  const looking = (async () => {
    while (!isOver) peak = Math.max(peak, await residentMb(pid));
  })();
  await work();
  isOver = true;
  await looking;
  return peak - before;
}

/** An upload that is good once, so it is no load that repeats itself: this process sends it. */
const RESUMABLE_ROUNDS = 12;
const RESUMABLE_MEMORY_UPLOADS = 16;

type Way = (upload: RequestedUpload) => { readonly address: string; readonly init: RequestInit };

const WAYS = {
  put: ({ signedUrl }) => ({
    address: signedUrl!,
    init: { method: "PUT", headers: { "content-type": TYPE } },
  }),
  patch: ({ resumableUrl }) => ({
    address: resumableUrl,
    init: {
      method: "PATCH",
      headers: {
        "tus-resumable": "1.0.0",
        "content-type": "application/offset+octet-stream",
        "upload-offset": "0",
      },
    },
  }),
} satisfies Record<string, Way>;

/** Sends all at once. Resolves to milliseconds. */
async function sendAll(
  { url }: Program,
  uploads: readonly RequestedUpload[],
  way: Way,
): Promise<number> {
  const body = new Uint8Array(LARGE_BYTES).fill(FILLER.charCodeAt(0));
  const began = performance.now();
  await Promise.all(uploads.map(async (upload) => {
    const { address, init } = way(upload);
    const answer = await fetch(url + new URL(address).pathname, { ...init, body });
    if (!answer.ok) throw new Error(`${init.method} answered ${answer.status}`);
    await answer.body?.cancel();
  }));
  return performance.now() - began;
}

async function resumables(setting: Setting): Promise<number> {
  await using corbel = await corbelOn(setting);
  const ratios: number[] = [];
  for (let round = 0; round <= RESUMABLE_ROUNDS; round++) {
    const uploads = await requested(setting, 2 * UPLOADS_AT_ONCE, LARGE_BYTES);
    const halves = [uploads.slice(UPLOADS_AT_ONCE), uploads.slice(0, UPLOADS_AT_ONCE)] as const;
    const ms = { put: 0, patch: 0 };
    const order = round % 2 === 0 ? ["put", "patch"] as const : ["patch", "put"] as const;
    for (const [at, way] of order.entries()) {
      ms[way] = await sendAll(corbel, halves[at]!, WAYS[way]);
    }
    if (round > 0) ratios.push(ms.put / ms.patch); // Before that both warm up.
    if (round === RESUMABLE_ROUNDS) await assertArrived(setting, corbel, halves[1][0]!);
  }
  return Math.round(median(ratios) * 100) / 100;
}

async function assertArrived(setting: Setting, { url }: Program, upload: RequestedUpload) {
  const path = await confirm(setting, upload, LARGE_BYTES);
  const { body } = await ask({ url: `${url}/files/${path}` });
  if (body !== FILLER.repeat(LARGE_BYTES)) throw new Error("What was sent is not what is there");
}

async function resumableMemory(setting: Setting): Promise<number> {
  const uploads = await requested(
    setting,
    RESUMABLE_MEMORY_UPLOADS * (MEMORY_ROUNDS + 1),
    LARGE_BYTES,
  );
  await using corbel = await corbelOn(setting);
  const some = (round: number) =>
    uploads.slice(round * RESUMABLE_MEMORY_UPLOADS, (round + 1) * RESUMABLE_MEMORY_UPLOADS);
  for (const one of some(0)) await sendAll(corbel, [one], WAYS.patch);
  return await memoryGrowth(corbel, async () => {
    for (let round = 1; round <= MEMORY_ROUNDS; round++) {
      await sendAll(corbel, some(round), WAYS.patch);
    }
  });
}

const ROUNDS = 5;
const SECONDS = 1;
/** More than are confirmed in a round: each is good once. */
const STAGED = 4_000;
const CONFIRMED_BYTES = 100;

function confirms(setting: Setting): Promise<number> {
  return withFolder(async (folder) => {
    await using bare = await startBare("bare", "insert", folder);
    await using corbel = await corbelOn(setting);
    await using services = await beside(setting);
    const { projectId, secretKey } = await createProject(services, { name: "C", siteUrl: null });
    const write: Target = { url: bare.url, method: "POST", body: JSON.stringify({ n: 1 }) };
    const headers = { "x-api-key": secretKey, "content-type": "application/json" };
    const url = `${corbel.url}/api/storage/upload-confirm`;
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const requests = await staged(setting, services, projectId);
      const target: Target = { url, method: "POST", headers, requests, isOnce: true };
      const perSecond = await load(target, { seconds: SECONDS });
      const writes = await load(write, { seconds: SECONDS });
      if (round > 0) ratios.push(perSecond / writes); // Before that both warm up.
    }
    return Math.round(median(ratios) * 100) / 100;
  });
}

/** Uploads that have arrived; what is sent to confirm them. */
async function staged(
  setting: Setting,
  services: Services,
  projectId: string,
): Promise<{ body: string }[]> {
  const folder = `${filesOf(setting)}/_incoming/${projectId}`;
  await Deno.mkdir(folder, { recursive: true });
  const now = services.clock.now();
  const bytes = CONFIRMED_BYTES;
  const paths = Array.from({ length: STAGED }, () => newPath(projectId, crypto.randomUUID(), "a"));
  await services.engine.transaction(projectId, async (tx) => {
    const sums = tx.records<StorageUsageRecord>(STORAGE_USAGE);
    const none = { _id: projectId, ...NOTHING, target: "internal" };
    if (await sums.get(projectId) === null) await sums.insert(none);
    await sums.updateOne(eq("_id", projectId), {
      increment: { reserved: bytes * STAGED, held: bytes * STAGED, files: STAGED, open: STAGED },
    });
    const rows = tx.records<UploadRecord>(UPLOADS);
    for (const path of paths) {
      await rows.insert({
        _id: services.newId(),
        path,
        filename: "a",
        contentType: PICTURE,
        bytes,
        state: "requested",
        claim: null,
        claimedUntil: null,
        target: "internal",
        expiresAt: new Date(now + 600_000).toISOString(),
        createdAt: new Date(now).toISOString(),
      });
    }
  });
  const body = fileBytes(PICTURE, bytes);
  for (const path of paths) await Deno.writeFile(`${filesOf(setting)}/_incoming/${path}`, body);
  return paths.map((filePath) => ({ body: JSON.stringify({ filePath, size: bytes }) }));
}
