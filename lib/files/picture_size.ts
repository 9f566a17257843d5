import { Problem } from "../problems.ts";
import { essenceOf } from "./media_type.ts";

/** Pixels that widths and heights are rounded up to, so that a picture has few different sizes. */
export const PICTURE_STEPS = [
  ...[16, 32, 64, 96, 128, 192, 256, 384, 512],
  ...[768, 1024, 1536, 2048],
] as const;

export const STEP_MAX = 2048;

export const PICTURE_FITS = ["contain", "cover"] as const;
export const PICTURE_FORMATS = ["webp", "avif", "jpeg", "png"] as const;

export type PictureFit = (typeof PICTURE_FITS)[number];
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

const QUALITY_DEFAULT = 80;
const QUALITY_STEP = 20;

export interface SizeQuery {
  readonly w?: number | undefined;
  readonly h?: number | undefined;
  readonly fit?: PictureFit | undefined;
  readonly format?: "auto" | PictureFormat | undefined;
  readonly q?: number | undefined;
}

/** A size and format that a picture is converted to. A picture is never enlarged. */
export interface PictureSize {
  /** Maximum in pixels; null if only the height is limited. */
  readonly width: number | null;
  /** Maximum in pixels; null if only the width is limited. */
  readonly height: number | null;
  /** `contain`: the complete picture; `cover`: the part of its center that fills the size. */
  readonly fit: PictureFit;
  readonly format: PictureFormat;
  /** 20 to 100, in steps of 20; 100 for a lossless format. */
  readonly quality: number;
}

/** Content types that can be resized, with the format of the result if none is requested. */
const DEFAULT_FORMATS: ReadonlyMap<string, PictureFormat> = new Map([
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/pjpeg", "jpeg"],
  ["image/png", "png"],
  ["image/x-png", "png"],
  ["image/apng", "png"],
  ["image/webp", "webp"],
  ["image/avif", "avif"],
  ["image/gif", "png"],
]);

export const isResizable = (contentType: string): boolean =>
  DEFAULT_FORMATS.has(essenceOf(contentType));

export const hasSizeParameters = ({ w, h, fit, format, q }: SizeQuery): boolean =>
  [w, h, fit, format, q].some((one) => one !== undefined);

/** Returns the size for a request. Throws `PICTURE_UNUSABLE` for a type that cannot be resized. */
export function chooseSize(
  contentType: string,
  query: SizeQuery,
  accept: string | null,
): PictureSize {
  const own = DEFAULT_FORMATS.get(essenceOf(contentType));
  if (own === undefined) throw new Problem("PICTURE_UNUSABLE");
  const format = query.format === "auto" ? negotiateFormat(accept, own) : query.format ?? own;
  const [width, height] = [roundUpToStep(query.w), roundUpToStep(query.h)];
  const isUnlimited = width === null && height === null;
  return {
    width: isUnlimited ? STEP_MAX : width,
    height: isUnlimited ? STEP_MAX : height,
    fit: width !== null && height !== null ? query.fit ?? "contain" : "contain",
    format,
    quality: format === "png"
      ? 100
      : Math.ceil((query.q ?? QUALITY_DEFAULT) / QUALITY_STEP) * QUALITY_STEP,
  };
}

/** @param pixels 1 to {@linkcode STEP_MAX}. */
const roundUpToStep = (pixels: number | undefined): number | null =>
  pixels === undefined ? null : PICTURE_STEPS.find((step) => step >= pixels)!;

/** Returns the most compact format that the browser accepts. Browsers name the newer formats. */
function negotiateFormat(accept: string | null, own: PictureFormat): PictureFormat {
  const named = new Set((accept ?? "").split(",").map((one) => one.split(";", 1)[0]!.trim()));
  if (named.has("image/avif")) return "avif";
  if (named.has("image/webp")) return "webp";
  return own === "avif" || own === "webp" ? "jpeg" : own;
}

/** Returns the name of a size, which is part of the path of its object. */
export const variantOf = ({ width, height, fit, format, quality }: PictureSize): string =>
  [
    ...(width === null ? [] : [`w${width}`]),
    ...(height === null ? [] : [`h${height}`]),
    ...(fit === "cover" ? ["cover"] : []),
    `q${quality}`,
    format,
  ].join("-");
