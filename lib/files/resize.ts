import { PICTURE_PIXELS_MAX, PICTURE_SECONDS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { PictureSize } from "./picture_size.ts";

type Sharp = typeof import("sharp").default;
type Picture = ReturnType<Sharp>;

let loaded: Promise<Sharp> | null = null;

/** With the first picture. It reads no other formats, whatever a file may be, and keeps nothing. */
function loadSharp(): Promise<Sharp> {
  return loaded ??= import("sharp").then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: READERS });
    return sharp;
  });
}

const READERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((one) => `VipsForeignLoad${one}`);

/**
 * Bytes of memory for each pixel while a picture is read, as they were measured with pictures of 49
 * million pixels and widths of 512 and 2048, rounded up: of one that is read in rows, and of one that
 * is not. An AVIF picture is unpacked whole, several times.
 */
const MEMORY: Readonly<Record<string, readonly [inRows: number, whole: number]>> = {
  jpeg: [2, 4],
  png: [2, 5],
  webp: [4, 4],
  gif: [6, 6],
  heif: [18, 18],
};

const WHITE = "#fff";

/**
 * Returns a picture in another size, upright, without what else the file says of itself. Of an
 * animation it is the first picture, of a damaged file what can be shown of it. It works in threads of
 * its own. Throws `PICTURE_UNUSABLE` for what shows nothing, or takes more than is allowed.
 * @param memoryMax Bytes.
 */
export async function resized(
  source: Uint8Array,
  size: PictureSize,
  memoryMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const sharp = await loadSharp();
  nameKnownBrand(source);
  const endsAt = performance.now() + 1000 * PICTURE_SECONDS;
  try {
    await refuseTooLarge(sharp(source, DAMAGED), memoryMax);
    const whole = await encoded(sharp(source, WHOLE), size, endsAt).catch(() => null);
    if (whole !== null) return whole;
    const shown = await encoded(sharp(source, DAMAGED), size, endsAt);
    // What cannot be read of a damaged file is of one colour.
    const { channels } = await sharp(shown).stats();
    if (channels.every(({ min, max }) => min === max)) throw unusable();
    return shown;
  } catch (error) {
    throw error instanceof Problem ? error : unusable(error);
  }
}

/**
 * Names an animated AVIF file, in place, by the brand of a still one, which each has in it: libvips
 * looks at the first brand alone, and does not know that of animations.
 */
function nameKnownBrand(source: Uint8Array): void {
  const brand = new TextDecoder().decode(source.subarray(4, 12));
  if (brand === "ftypavis") source.set(new TextEncoder().encode("avif"), 8);
}

/** `failOn` is the least fault for which nothing is shown. */
const WHOLE = {
  limitInputPixels: PICTURE_PIXELS_MAX,
  sequentialRead: true,
  failOn: "warning",
} as const;
const DAMAGED = { ...WHOLE, failOn: "none" } as const;

async function refuseTooLarge(picture: Picture, memoryMax: number): Promise<void> {
  const { format, width, height, isProgressive = false } = await picture.metadata();
  const [inRows, whole] = MEMORY[format] ?? [Infinity, Infinity];
  const memory = width * height * (isProgressive ? whole : inRows);
  if (memory > memoryMax || width * height > PICTURE_PIXELS_MAX) throw unusable();
}

/** @param endsAt `performance.now()` milliseconds. */
async function encoded(
  picture: Picture,
  { width, height, fit, format, quality }: PictureSize,
  endsAt: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const seconds = Math.ceil((endsAt - performance.now()) / 1000);
  // A time limit of 0 would be none.
  if (seconds <= 0) throw unusable();
  const sized = picture
    .timeout({ seconds })
    .autoOrient()
    .resize(width, height, { fit: FITS[fit], withoutEnlargement: true });
  switch (format) {
    case "jpeg":
      return await bytesOf(sized.flatten({ background: WHITE }).jpeg({ quality }));
    case "webp":
      return await bytesOf(sized.webp({ quality }));
    case "avif":
      return await bytesOf(sized.avif({ quality, effort: AVIF_EFFORT }));
    case "png":
      return await bytesOf(sized.png());
  }
}

const FITS = { contain: "inside", cover: "cover" } as const;

/** Of 0 to 9: with more it takes several times as long, and is some percent smaller. */
const AVIF_EFFORT = 2;

const unusable = (cause?: unknown) => new Problem("PICTURE_UNUSABLE", { cause });

const bytesOf = async (picture: { toBuffer(): Promise<Uint8Array> }) =>
  new Uint8Array(await picture.toBuffer());
