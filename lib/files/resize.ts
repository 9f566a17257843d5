import { PICTURE_PIXELS_MAX, PICTURE_SECONDS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { PictureSize } from "./picture_size.ts";

type Sharp = typeof import("sharp").default;
type Picture = ReturnType<Sharp>;

let sharpModule: Promise<Sharp> | null = null;

/** Loads Sharp with the first picture, without a cache and only for the formats in `READERS`. */
function loadSharp(): Promise<Sharp> {
  return sharpModule ??= import("sharp").then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: READERS });
    return sharp;
  });
}

const READERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((one) => `VipsForeignLoad${one}`);

/** Measured memory of decoding in bytes, rounded up. AVIF is decoded at once, several times. */
const BYTES_PER_PIXEL: Readonly<Record<string, readonly [inRows: number, atOnce: number]>> = {
  jpeg: [2, 4],
  png: [2, 5],
  webp: [4, 4],
  gif: [6, 6],
  heif: [18, 18],
};

const WHITE = "#fff";

/**
 * Returns a picture upright, without metadata: the first frame of an animation, and the readable
 * part of a damaged file. Throws `PICTURE_UNUSABLE`, also above `memoryMax` bytes or the time
 * limit.
 */
export async function resizePicture(
  source: Uint8Array,
  size: PictureSize,
  memoryMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const sharp = await loadSharp();
  nameKnownBrand(source);
  const endsAt = performance.now() + 1000 * PICTURE_SECONDS;
  try {
    await assertFitsMemory(sharp(source, LENIENT_INPUT), memoryMax);
    const complete = await encode(sharp(source, STRICT_INPUT), size, endsAt).catch(() => null);
    if (complete !== null) return complete;
    const partial = await encode(sharp(source, LENIENT_INPUT), size, endsAt);
    // The unreadable part of a damaged file is filled with one color.
    const { channels } = await sharp(partial).stats();
    if (channels.every(({ min, max }) => min === max)) throw unusable();
    return partial;
  } catch (error) {
    throw error instanceof Problem ? error : unusable(error);
  }
}

/** Puts the brand of a still picture first in an animated AVIF file: libvips reads only that. */
function nameKnownBrand(source: Uint8Array): void {
  const brand = new TextDecoder().decode(source.subarray(4, 12));
  if (brand === "ftypavis") source.set(new TextEncoder().encode("avif"), 8);
}

const STRICT_INPUT = {
  limitInputPixels: PICTURE_PIXELS_MAX,
  sequentialRead: true,
  failOn: "warning",
} as const;
const LENIENT_INPUT = { ...STRICT_INPUT, failOn: "none" } as const;

async function assertFitsMemory(picture: Picture, memoryMax: number): Promise<void> {
  const { format, width, height, isProgressive = false } = await picture.metadata();
  const [inRows, atOnce] = BYTES_PER_PIXEL[format] ?? [Infinity, Infinity];
  const memory = width * height * (isProgressive ? atOnce : inRows);
  if (memory > memoryMax || width * height > PICTURE_PIXELS_MAX) throw unusable();
}

/** @param endsAt `performance.now()` milliseconds. */
async function encode(
  picture: Picture,
  { width, height, fit, format, quality }: PictureSize,
  endsAt: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const seconds = Math.ceil((endsAt - performance.now()) / 1000);
  // Sharp takes a time limit of 0 as no limit.
  if (seconds <= 0) throw unusable();
  const sized = picture
    .timeout({ seconds })
    .autoOrient()
    .resize(width, height, { fit: FITS[fit], withoutEnlargement: true });
  switch (format) {
    case "jpeg":
      return await toBytes(sized.flatten({ background: WHITE }).jpeg({ quality }));
    case "webp":
      return await toBytes(sized.webp({ quality }));
    case "avif":
      return await toBytes(sized.avif({ quality, effort: AVIF_EFFORT }));
    case "png":
      return await toBytes(sized.png());
  }
}

const FITS = { contain: "inside", cover: "cover" } as const;

/** A number from 0 to 9. More effort takes much longer and makes files only a little smaller. */
const AVIF_EFFORT = 2;

const unusable = (cause?: unknown) => new Problem("PICTURE_UNUSABLE", { cause });

const toBytes = async (picture: { toBuffer(): Promise<Uint8Array> }) =>
  new Uint8Array(await picture.toBuffer());
