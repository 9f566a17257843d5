/** Uploads, downloads and sizes of pictures, beside bare servers that do the least that such a thing takes. */

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
    what: "10 MB uploads over a bare server that streams them to a file with the same fsyncs",
    atLeast: 0.8,
    measure: puts,
  },
  {
    name: "get_vs_raw",
    what: "10 MB downloads over a bare server that streams the same file",
    atLeast: 0.8,
    measure: gets,
  },
  {
    name: "upload_rss",
    what: "growth of resident memory, in MB, by 32 uploads of 10 MB at once",
    atMost: 64,
    measure: (setting) => memoryGrowth(setting, 32, WAYS.put),
  },
  {
    name: "resumable_vs_put",
    what: "10 MB uploads by one PATCH each over the same by PUT, eight at once",
    atLeast: 0.8,
    measure: resumables,
  },
  {
    name: "resumable_rss",
    what: "growth of resident memory, in MB, by 16 uploads of 10 MB at once by PATCH",
    atMost: 64,
    measure: (setting) => memoryGrowth(setting, 16, WAYS.patch),
  },
  {
    name: "image_size_per_s",
    what: "first sizes a second of pictures of 12 megapixels, 640 wide, as WebP",
    measure: firstSizes,
  },
  {
    name: "image_size_again",
    what: "sizes that were made before over the file itself, of the same length",
    measure: sizesAgain,
  },
  {
    name: "private_get_vs_public",
    what: "private files of 100 kB at their signed addresses over public ones",
    atLeast: 0.9,
    measure: privateGets,
  },
];

const LARGE_BYTES = 10 * 1_048_576;
const TYPE = "application/octet-stream";
const UPLOADS_AT_ONCE = 8;
/** A busy disk takes a second for the few that are under way. */
const LARGE = { seconds: 2 };
const ROUNDS = 5;

const filesOn = ({ settings }: Setting): Promise<Program> =>
  startCorbel({ ...settings, RATE_LIMITS: "off" });

const large: UploadInput = { filename: "photo.png", contentType: TYPE, bytes: LARGE_BYTES };

/** So many uploads of 10 MB, of a project of their own. */
async function requested(services: Services, count: number): Promise<RequestedUpload[]> {
  const { projectId } = await openProject(services, []);
  const uploads = Array.from({ length: count }, () => requestUpload(services, projectId, large));
  return await Promise.all(uploads);
}

/** Uploads whose bytes have come by another way than HTTP; their paths. */
async function arrived(
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

async function confirmed(services: Services, { filePath: path }: RequestedUpload) {
  const files = allFilesOf(path.split("/")[0]!);
  await confirmUpload(services, files, { path, bytes: LARGE_BYTES });
  return `/files/${path}`;
}

/** A way to send a file. */
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

/** Its bytes do not matter. */
const BODY = "x".repeat(LARGE_BYTES);

/** Sends all at once, from this process: an upload by PATCH is good once. Resolves to their number in a second. */
async function sendAll(
  { url }: Program,
  uploads: readonly RequestedUpload[],
  way: Way,
): Promise<number> {
  const began = performance.now();
  await Promise.all(uploads.map((upload) => {
    const { address, init } = way(upload);
    return ask({ ...init, url: url + new URL(address).pathname, body: BODY });
  }));
  return uploads.length / (performance.now() - began) * 1_000;
}

async function puts(setting: Setting): Promise<number> {
  await using folder = await temporaryFolder();
  await using services = await openStore(setting.settings);
  await using corbel = await filesOn(setting);
  await using bare = await startBare("bare", "put", folder.path);
  const uploads = await requested(services, UPLOADS_AT_ONCE);
  const target: Target = {
    url: corbel.url,
    method: "PUT",
    headers: { "content-type": TYPE },
    body: BODY,
    connections: UPLOADS_AT_ONCE,
    requests: uploads.map(({ signedUrl }) => ({ path: new URL(signedUrl!).pathname })),
  };
  const measured = await ratio(target, { ...target, url: bare.url }, LARGE);
  const shown = await ask({ url: corbel.url + await confirmed(services, uploads[0]!) });
  assertWhole(shown, await Deno.readTextFile(`${folder.path}/whole0`));
  return measured;
}

function assertWhole(...texts: readonly string[]): void {
  if (texts.some((text) => text !== BODY)) throw new Error("What was sent is not what is there");
}

async function gets(setting: Setting): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await filesOn(setting);
  const [upload] = await requested(services, 1);
  await sendAll(corbel, [upload!], WAYS.put);
  const path = await confirmed(services, upload!);
  await using bare = await startBare("bare", "get", setting.folder + path);
  const targets = [{ url: corbel.url + path }, { url: bare.url }] as const;
  assertWhole(await ask(targets[0]), await ask(targets[1]));
  return await ratio(...targets, LARGE);
}

async function resumables(setting: Setting): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await filesOn(setting);
  let last: RequestedUpload;
  const perSecond = (way: Way) => async () => {
    const uploads = await requested(services, UPLOADS_AT_ONCE);
    last = uploads[0]!;
    return await sendAll(corbel, uploads, way);
  };
  const measured = await medianRatio(2 * ROUNDS, perSecond(WAYS.patch), perSecond(WAYS.put));
  assertWhole(await ask({ url: corbel.url + await confirmed(services, last!) }));
  return measured;
}

const MEMORY_ROUNDS = 3;

/** Of the highest peak over what the process had before, after uploads one at a time. */
async function memoryGrowth(setting: Setting, atOnce: number, way: Way): Promise<number> {
  await using services = await openStore(setting.settings);
  await using corbel = await filesOn(setting);
  for (const upload of await requested(services, atOnce)) await sendAll(corbel, [upload], way);
  const before = await residentMb(corbel.pid);
  let [peak, isOver] = [before, false];
  const looking = (async () => {
    while (!isOver) peak = Math.max(peak, await residentMb(corbel.pid));
  })();
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    await sendAll(corbel, await requested(services, atOnce), way);
  }
  isOver = true;
  await looking;
  return peak - before;
}

const SIZE = "?w=640&format=webp";
const JPEG = "image/jpeg";
const BYTES = 100_000;

/** Confirmed files of a new project; the addresses that they are read at. */
async function keep(
  setting: Setting,
  files: readonly Uint8Array[],
  visibility: "public" | "private" = "public",
): Promise<string[]> {
  await using services = await openStore(setting.settings);
  const { projectId } = await openProject(services, []);
  const given = files.map((body) => ({ filename: "a.jpg", contentType: JPEG, visibility, body }));
  const all = allFilesOf(projectId);
  const addresses: string[] = [];
  for (const [at, path] of (await arrived(setting, [services, projectId], given)).entries()) {
    await confirmUpload(services, all, { path, bytes: files[at]!.length });
    const { url } = await signFile(services, all, { path, seconds: 3_600 });
    addresses.push(
      visibility === "private" ? url.slice(new URL(url).origin.length) : `/files/${path}`,
    );
  }
  return addresses;
}

const PICTURES = 40;
const AT_ONCE = 10;

/** A picture as a camera makes it: of noise that is no pattern, and of areas that are alike. */
async function photo(): Promise<Uint8Array> {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const small = await sharp({
    create: { width: 400, height: 300, channels: 3, background: "#888", noise },
  }).png().toBuffer();
  return await sharp(small).resize(4_000, 3_000).jpeg().toBuffer();
}

async function firstSizes(setting: Setting): Promise<number> {
  const picture = await photo();
  const [warm, ...others] = await keep(setting, Array<Uint8Array>(PICTURES).fill(picture));
  await using corbel = await filesOn(setting);
  const made = (address: string) => ask({ url: corbel.url + address + SIZE });
  await made(warm!);
  const began = performance.now();
  for (let at = 0; at < others.length; at += AT_ONCE) {
    await Promise.all(others.slice(at, at + AT_ONCE).map(made));
  }
  return Math.round(10_000 * others.length / (performance.now() - began)) / 10;
}

async function sizesAgain(setting: Setting): Promise<number> {
  const picture = await photo();
  const { length } = await sharp(picture).resize(640).webp().toBuffer();
  const [sized, plain] = await keep(setting, [picture, fileBytes(JPEG, length)]);
  await using corbel = await filesOn(setting);
  await ask({ url: corbel.url + sized! + SIZE });
  return await ratio({ url: corbel.url + sized! + SIZE }, { url: corbel.url + plain! });
}

async function privateGets(setting: Setting): Promise<number> {
  const [hidden] = await keep(setting, [fileBytes(JPEG, BYTES)], "private");
  const [shown] = await keep(setting, [fileBytes(JPEG, BYTES)]);
  await using corbel = await filesOn(setting);
  return await ratio({ url: corbel.url + hidden! }, { url: corbel.url + shown! });
}
