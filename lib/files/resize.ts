import { PICTURE_PIXELS_MAX, PICTURE_SECONDS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { PictureSize } from "./picture_size.ts";

type Sharp = typeof import("sharp").default;

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
 * A picture in another size, upright, without what else the file says of itself. It works in threads
 * of its own. Throws `PICTURE_UNUSABLE` for what is broken, or takes more than is allowed.
 * @param memoryMax Bytes.
 */
export async function resized(
  source: Uint8Array,
  { width, height, fit, format, quality }: PictureSize,
  memoryMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const sharp = await loadSharp();
  const options = { limitInputPixels: PICTURE_PIXELS_MAX, sequentialRead: true } as const;
  try {
    const { format: read, width: across, height: down, isProgressive = false } = await sharp(
      source,
      options,
    ).metadata();
    const [inRows, whole] = MEMORY[read] ?? [Infinity, Infinity];
    const memory = across * down * (isProgressive ? whole : inRows);
    if (memory > memoryMax || across * down > PICTURE_PIXELS_MAX) throw unusable();
    const picture = sharp(source, options)
      .timeout({ seconds: PICTURE_SECONDS })
      .autoOrient()
      .resize(width, height, { fit: FITS[fit], withoutEnlargement: true });
    switch (format) {
      case "jpeg":
        return await bytesOf(picture.flatten({ background: WHITE }).jpeg({ quality }));
      case "webp":
        return await bytesOf(picture.webp({ quality }));
      case "avif":
        return await bytesOf(picture.avif({ quality, effort: AVIF_EFFORT }));
      case "png":
        return await bytesOf(picture.png());
    }
  } catch (error) {
    throw error instanceof Problem ? error : unusable(error);
  }
}

const FITS = { contain: "inside", cover: "cover" } as const;

/** Of 0 to 9: with more it takes several times as long, and is some percent smaller. */
const AVIF_EFFORT = 2;

const unusable = (cause?: unknown) => new Problem("PICTURE_UNUSABLE", { cause });

const bytesOf = async (picture: { toBuffer(): Promise<Uint8Array> }) =>
  new Uint8Array(await picture.toBuffer());
