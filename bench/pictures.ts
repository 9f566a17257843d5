/** Sizes of pictures, and private files beside public ones. */

import sharp from "sharp";
import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { beside, corbelOn, filesOf } from "./files.ts";
import { load } from "./load.ts";
import { ratio } from "./measuring.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

export const PICTURE_ROWS: readonly Row[] = [
  {
    name: "image_size_per_s",
    what: "first sizes a second of pictures of 12 megapixels, 640 wide, as WebP",
    target: null,
    atLeast: true,
    measure: firstSizes,
  },
  {
    name: "image_size_again",
    what: "sizes that were made before over the file itself, of the same length",
    target: null,
    atLeast: true,
    measure: sizesAgain,
  },
  {
    name: "private_get_vs_public",
    what: "private files of 100 kB at their signed addresses over public ones",
    target: 0.9,
    atLeast: true,
    measure: privateGets,
  },
];

const SIZE = "?w=640&format=webp";
const TYPE = "image/jpeg";
const BYTES = 100_000;

type Visibility = "public" | "private";

/** Confirmed files of these bytes; resolves to their paths, and to how their addresses are signed. */
async function keep(setting: Setting, files: readonly Uint8Array[], visibility: Visibility) {
  await using services = await beside(setting);
  const addresses: string[] = [];
  for (const file of files) {
    // Each has room for some of them.
    const { projectId } = await createProject(services, { name: "Pictures", siteUrl: null });
    const input = { filename: "a.jpg", contentType: TYPE, bytes: file.length, visibility };
    const { filePath: path } = await requestUpload(services, projectId, input);
    await Deno.mkdir(`${filesOf(setting)}/_incoming/${projectId}`, { recursive: true });
    await Deno.writeFile(`${filesOf(setting)}/_incoming/${path}`, file);
    await confirmUpload(services, allFilesOf(projectId), { path, bytes: file.length });
    const asked = { path, seconds: 3_600 };
    const { url } = await signFile(services, allFilesOf(projectId), asked);
    addresses.push(
      visibility === "private" ? url.slice(new URL(url).origin.length) : `/files/${path}`,
    );
  }
  return addresses;
}

const PICTURES = 40;

/** Pictures as a camera makes them: of noise that is no pattern, and of areas that are alike. */
async function photo(): Promise<Uint8Array> {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const small = await sharp({
    create: { width: 400, height: 300, channels: 3, background: "#888", noise },
  }).png().toBuffer();
  return await sharp(small).resize(4_000, 3_000).jpeg().toBuffer();
}

async function firstSizes(setting: Setting): Promise<number> {
  const picture = await photo();
  const addresses = await keep(setting, Array.from({ length: PICTURES }, () => picture), "public");
  await using corbel = await corbelOn(setting);
  const made = async (address: string) => {
    const answer = await fetch(corbel.url + address + SIZE);
    if (!answer.ok) throw new Error(await answer.text());
    await answer.body?.cancel();
  };
  const [warm, ...others] = addresses;
  await made(warm!);
  const began = performance.now();
  for (let at = 0; at < others.length; at += 10) {
    await Promise.all(others.slice(at, at + 10).map(made));
  }
  return Math.round(10_000 * others.length / (performance.now() - began)) / 10;
}

async function sizesAgain(setting: Setting): Promise<number> {
  const picture = await photo();
  const length = (await sharp(picture).resize(640).webp().toBuffer()).length;
  const [sized] = await keep(setting, [picture], "public");
  const [plain] = await keep(setting, [await asJpeg(length)], "public");
  await using corbel = await corbelOn(setting);
  await load({ url: corbel.url + sized! + SIZE }, { seconds: 1 });
  return await ratio({ url: corbel.url + sized! + SIZE }, { url: corbel.url + plain! });
}

/** Nothing but the beginning of one is looked at. */
function asJpeg(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
}

async function privateGets(setting: Setting): Promise<number> {
  const [hidden] = await keep(setting, [asJpeg(BYTES)], "private");
  const [shown] = await keep(setting, [asJpeg(BYTES)], "public");
  await using corbel = await corbelOn(setting);
  return await ratio({ url: corbel.url + hidden! }, { url: corbel.url + shown! });
}
