import { Problem } from "../problems.ts";
import { essenceOf } from "./media_type.ts";

/**
 * Pixels that widths and heights are rounded up to: a picture has few sizes, however many are asked
 * for.
 */
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

/** What somebody asks for; what is left out is undefined. */
export interface AskedSize {
  readonly w?: number | undefined;
  readonly h?: number | undefined;
  readonly fit?: PictureFit | undefined;
  readonly format?: "auto" | PictureFormat | undefined;
  readonly q?: number | undefined;
}

/** What is made. A picture is never enlarged. */
export interface PictureSize {
  /** At most so many pixels; null for as many as the other one leaves. */
  readonly width: number | null;
  readonly height: number | null;
  /** `contain`: the whole picture; `cover`: as much of its middle as fills the size. */
  readonly fit: PictureFit;
  readonly format: PictureFormat;
  /** 20 to 100, in steps of 20; 100 for a format without loss. */
  readonly quality: number;
}

/** The formats that pictures are read in, and what they become where none is asked for. */
const READ: ReadonlyMap<string, PictureFormat> = new Map([
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

export const isSized = (contentType: string): boolean => READ.has(essenceOf(contentType));

/** Whether a size is asked for at all. */
export const asksForSize = ({ w, h, fit, format, q }: AskedSize): boolean =>
  [w, h, fit, format, q].some((one) => one !== undefined);

/**
 * The size that is made for what is asked. Throws `PICTURE_UNUSABLE` for what is no picture.
 * @param accept The `Accept` header, for the format `auto`.
 */
export function sizeFor(contentType: string, asked: AskedSize, accept: string | null): PictureSize {
  const own = READ.get(essenceOf(contentType));
  if (own === undefined) throw new Problem("PICTURE_UNUSABLE");
  const format = asked.format === "auto" ? accepted(accept, own) : asked.format ?? own;
  const [width, height] = [stepFor(asked.w), stepFor(asked.h)];
  const isBare = width === null && height === null;
  return {
    width: isBare ? STEP_MAX : width,
    height: isBare ? STEP_MAX : height,
    fit: width !== null && height !== null ? asked.fit ?? "contain" : "contain",
    format,
    quality: format === "png"
      ? 100
      : Math.ceil((asked.q ?? QUALITY_DEFAULT) / QUALITY_STEP) * QUALITY_STEP,
  };
}

/** @param pixels 1 to {@linkcode STEP_MAX}. */
const stepFor = (pixels: number | undefined): number | null =>
  pixels === undefined ? null : PICTURE_STEPS.find((step) => step >= pixels)!;

/** The smallest that a browser shows: those that know a newer format name it. */
function accepted(accept: string | null, own: PictureFormat): PictureFormat {
  const named = new Set((accept ?? "").split(",").map((one) => one.split(";", 1)[0]!.trim()));
  if (named.has("image/avif")) return "avif";
  if (named.has("image/webp")) return "webp";
  return own === "avif" || own === "webp" ? "jpeg" : own;
}

/** Tells a size of a picture from others: part of where it is kept. */
export const variantOf = ({ width, height, fit, format, quality }: PictureSize): string =>
  [
    ...(width === null ? [] : [`w${width}`]),
    ...(height === null ? [] : [`h${height}`]),
    ...(fit === "cover" ? ["cover"] : []),
    `q${quality}`,
    format,
  ].join("-");
