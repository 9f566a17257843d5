/** Uploads, downloads and sizes of pictures, compared with bare servers that do the minimum. */

import { fileBytes } from "@/tests/support/file_bytes.ts";
import sharp from "sharp";
import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import {
  type RequestedUpload,
  requestUpload,
  type UploadInput,
} from "@/lib/files/request_upload.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { type Target } from "./load.ts";
import { ask, medianRatio, ratio } from "./measuring.ts";
import { type Program, residentMb, startBare, startCorbel } from "./process.ts";
import type { Row } from "./report.ts";
import { openProject, openStore, type Setting, temporaryFolder } from "./seed.ts";

export const FILE_ROWS: readonly Row[] = [
  {
    name: "put_vs_raw",
    description:
      "10 MB uploads over a bare server that streams them to a file with the same fsyncs",
    atLeast: 0.8,
    measure: measurePuts,
  },
  {
    name: "get_vs_raw",
    description: "10 MB downloads over a bare server that streams the same file",
    atLeast: 0.8,
    measure: measureGets,
  },
  {
    name: "upload_rss",
    description: "growth of resident memory, in MB, by 32 uploads of 10 MB at once",
    atMost: 64,
    measure: (setting) => memoryGrowth(setting, 32, UPLOAD_METHODS.put),
  },
  {
    name: "resumable_vs_put",
    description: "10 MB uploads by one PATCH each over the same by PUT, eight at once",
    atLeast: 0.8,
    measure: measureResumables,
  },
  {
    name: "resumable_rss",
    description: "growth of resident memory, in MB, by 16 uploads of 10 MB at once by PATCH",
    atMost: 64,
    measure: (setting) => memoryGrowth(setting, 16, UPLOAD_METHODS.patch),
  },
  {
    name: "image_size_per_s",
    description: "first sizes a second of pictures of 12 megapixels, 640 wide, as WebP",
    measure: measureFirstSizes,
  },
  {
    name: "image_size_again",
    description: "sizes that were made before over the file itself, of the same length",
    measure: measureCachedSizes,
  },
  {
    name: "private_get_vs_public",
    description: "private files of 100 kB at their signed addresses over public ones",
    atLeast: 0.9,
    measure: measurePrivateGets,
  },
];

const LARGE_BYTES = 10 * 1_048_576;
const TYPE = "application/octet-stream";
const CONCURRENT_UPLOAD_COUNT = 8;
/** Longer rounds, because a busy disk takes a second for the uploads in progress. */
const LARGE = { seconds: 2 };
const ROUNDS = 5;

const startForFiles = ({ settings }: Setting): Promise<Program> =>
  startCorbel({ ...settings, RATE_LIMITS: "off" });

const large: UploadInput = { filename: "photo.png", contentType: TYPE, bytes: LARGE_BYTES };

async function requestUploads(services: Services, count: number): Promise<RequestedUpload[]> {
  const { projectId } = await openProject(services, []);
  const uploads = Array.from({ length: count }, () => requestUpload(services, projectId, large));
  return await Promise.all(uploads);
}

/** Requests uploads and stores their bytes without HTTP. Resolves to their paths. */
async function storeIncoming(
  { folder }: Setting,
  [services, projectId]: readonly [Services, Id],
  files: readonly (Omit<UploadInput, "bytes"> & { readonly body: Uint8Array })[],
): Promise<string[]> {
  await Deno.mkdir(`${folder}/files/_incoming/${projectId}`, { recursive: true });
  return await Promise.all(files.map(async ({ body, ...file }) => {
    const input = { ...file, bytes: body.length };
    const { filePath } = await requestUpload(services, projectId, input);
    await Deno.writeFile(`${folder}/files/_incoming/${filePath}`, body);
    return filePath;
  }));
}

async function confirm(services: Services, { filePath: path }: RequestedUpload) {
  const files = allFilesOf(path.split("/")[0]!);
  await confirmUpload(services, files, { path, bytes: LARGE_BYTES });
  return `/files/${path}`;
}

type UploadMethod = (
  upload: RequestedUpload,
) => { readonly address: string; readonly init: RequestInit };

const UPLOAD_METHODS = {
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
} satisfies Record<string, UploadMethod>;

const BODY = "x".repeat(LARGE_BYTES);

/**
 * Sends all files concurrently from this process, because an upload by PATCH cannot be repeated.
 * Resolves to the number of files per second.
 */
async function sendAll(
  { url }: Program,
  uploads: readonly RequestedUpload[],
  way: UploadMethod,
): Promise<number> {
  const began = performance.now();
  await Promise.all(uploads.map((upload) => {
    const { address, init } = way(upload);
    return ask({ ...init, url: url + new URL(address).pathname, body: BODY });
  }));
  return uploads.length / (performance.now() - began) * 1_000;
}

async function measurePuts(setting: Setting): Promise<number> {
  await using folder = await temporaryFolder();
  await using services = await openStore(setting.settings);
  await using corbel = await startForFiles(setting);
  await using bare = await startBare("bare", "put", folder.path);
  const uploads = await requestUploads(services, CONCURRENT_UPLOAD_COUNT);
  const target: Target = {
    url: corbel.url,
    method: "PUT",
    headers: { "content-type": TYPE },
    body: BODY,
    connections: CONCURRENT_UPLOAD_COUNT,
    requests: uploads.map(({ signedUrl }) => ({ path: new URL(signedUrl!).pathname })),
  };
  const measured = await ratio(target, { ...target, url: bare.url }, LARGE);
  const shown = await ask({ url: corbel.url + await confirm(services, uploads[0]!) });
  assertComplete(shown, await Deno.readTextFile(`${folder.path}/whole0`));
  return measured;
}

function assertComplete(...texts: readonly string[]): void {
  if (texts.some((text) => text !== BODY)) {
    throw new Error("The stored file differs from what was sent");
  }
}

async function measureGets(setting: Setting): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await startForFiles(setting);
  const [upload] = await requestUploads(services, 1);
  await sendAll(corbel, [upload!], UPLOAD_METHODS.put);
  const path = await confirm(services, upload!);
  await using bare = await startBare("bare", "get", setting.folder + path);
  const targets = [{ url: corbel.url + path }, { url: bare.url }] as const;
  assertComplete(await ask(targets[0]), await ask(targets[1]));
  return await ratio(...targets, LARGE);
}

async function measureResumables(setting: Setting): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await startForFiles(setting);
  let last: RequestedUpload;
  const perSecond = (way: UploadMethod) => async () => {
    const uploads = await requestUploads(services, CONCURRENT_UPLOAD_COUNT);
    last = uploads[0]!;
    return await sendAll(corbel, uploads, way);
  };
  const measured = await medianRatio(
    2 * ROUNDS,
    perSecond(UPLOAD_METHODS.patch),
    perSecond(UPLOAD_METHODS.put),
  );
  assertComplete(await ask({ url: corbel.url + await confirm(services, last!) }));
  return measured;
}

const MEMORY_ROUNDS = 3;

/** Resolves to the growth of memory to its peak, after warm-up uploads one at a time. */
async function memoryGrowth(setting: Setting, atOnce: number, way: UploadMethod): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await startForFiles(setting);
  for (const upload of await requestUploads(services, atOnce)) await sendAll(corbel, [upload], way);
  const before = await residentMb(corbel.pid);
  let [peak, isOver] = [before, false];
  const looking = (async () => {
    while (!isOver) peak = Math.max(peak, await residentMb(corbel.pid));
  })();
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    await sendAll(corbel, await requestUploads(services, atOnce), way);
  }
  isOver = true;
  await looking;
  return peak - before;
}

const SIZE = "?w=640&format=webp";
const JPEG = "image/jpeg";
const BYTES = 100_000;

/** Confirms files in a new project. Resolves to their addresses. */
async function confirmFiles(
  setting: Setting,
  files: readonly Uint8Array[],
  visibility: "public" | "private" = "public",
): Promise<string[]> {
  await using services = await openStore(setting.settings);
  const { projectId } = await openProject(services, []);
  const given = files.map((body) => ({ filename: "a.jpg", contentType: JPEG, visibility, body }));
  const all = allFilesOf(projectId);
  const addresses: string[] = [];
  for (const [at, path] of (await storeIncoming(setting, [services, projectId], given)).entries()) {
    await confirmUpload(services, all, { path, bytes: files[at]!.length });
    const { url } = await signFile(services, all, { path, seconds: 3_600 });
    addresses.push(
      visibility === "private" ? url.slice(new URL(url).origin.length) : `/files/${path}`,
    );
  }
  return addresses;
}

const PICTURE_COUNT = 40;
const CONCURRENT_REQUEST_COUNT = 10;

/** Creates a picture like a photo, with noise and even areas. */
async function createPhoto(): Promise<Uint8Array> {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const small = await sharp({
    create: { width: 400, height: 300, channels: 3, background: "#888", noise },
  }).png().toBuffer();
  return await sharp(small).resize(4_000, 3_000).jpeg().toBuffer();
}

async function measureFirstSizes(setting: Setting): Promise<number> {
  const picture = await createPhoto();
  const [warm, ...others] = await confirmFiles(
    setting,
    Array<Uint8Array>(PICTURE_COUNT).fill(picture),
  );
  await using corbel = await startForFiles(setting);
  const requestSize = (address: string) => ask({ url: corbel.url + address + SIZE });
  await requestSize(warm!);
  const began = performance.now();
  for (let at = 0; at < others.length; at += CONCURRENT_REQUEST_COUNT) {
    await Promise.all(others.slice(at, at + CONCURRENT_REQUEST_COUNT).map(requestSize));
  }
  return Math.round(10_000 * others.length / (performance.now() - began)) / 10;
}

async function measureCachedSizes(setting: Setting): Promise<number> {
  const picture = await createPhoto();
  const { length } = await sharp(picture).resize(640).webp().toBuffer();
  const [sized, plain] = await confirmFiles(setting, [picture, fileBytes(JPEG, length)]);
  await using corbel = await startForFiles(setting);
  await ask({ url: corbel.url + sized! + SIZE });
  return await ratio({ url: corbel.url + sized! + SIZE }, { url: corbel.url + plain! });
}

async function measurePrivateGets(setting: Setting): Promise<number> {
  const [hidden] = await confirmFiles(setting, [fileBytes(JPEG, BYTES)], "private");
  const [shown] = await confirmFiles(setting, [fileBytes(JPEG, BYTES)]);
  await using corbel = await startForFiles(setting);
  return await ratio({ url: corbel.url + hidden! }, { url: corbel.url + shown! });
}
