import sharp from "sharp";

/** Bytes of a picture whose left half is red and whose right half is blue. */
export async function picture(
  { width = 400, height = 300, format = "png", orientation }: {
    readonly width?: number;
    readonly height?: number;
    readonly format?: "png" | "jpeg" | "webp" | "gif" | "avif";
    /** As cameras say how they were held. */
    readonly orientation?: number;
  } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const half = { width: Math.floor(width / 2), height, channels: 3, background: "#f00" } as const;
  const left = await sharp({ create: half }).png().toBuffer();
  const whole = sharp({ create: { ...half, width, background: "#00f" } })
    .composite([{ input: left, left: 0, top: 0 }]);
  const told = orientation === undefined
    ? whole
    : whole.withMetadata({ orientation }).withExif({ IFD0: { Copyright: "somebody's name" } });
  return new Uint8Array(await told.toFormat(format).toBuffer());
}

export interface PictureFacts {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  /** Whether anything is told beside the picture itself. */
  readonly hasMetadata: boolean;
  /** Whether its first pixel is rather red than blue. */
  readonly beginsRed: boolean;
}

export async function factsOf(bytes: Uint8Array): Promise<PictureFacts> {
  const { format, width, height, exif, icc, xmp, orientation } = await sharp(bytes).metadata();
  const [red, , blue] = await sharp(bytes).removeAlpha().raw().toBuffer();
  return {
    format: format === "heif" ? "avif" : format,
    width,
    height,
    hasMetadata: [exif, icc, xmp, orientation].some((one) => one !== undefined),
    beginsRed: red! > blue!,
  };
}
