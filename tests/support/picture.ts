import sharp from "sharp";

/** Creates a picture whose left half is red and whose right half is blue. */
export async function picture(
  { width = 400, height = 300, format = "png", orientation }: {
    readonly width?: number;
    readonly height?: number;
    readonly format?: "png" | "jpeg" | "webp" | "gif" | "avif";
    /** Orientation of the camera, as in EXIF. */
    readonly orientation?: number;
  } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const half = { width: Math.floor(width / 2), height, channels: 3, background: "#f00" } as const;
  const left = await sharp({ create: half }).png().toBuffer();
  const image = sharp({ create: { ...half, width, background: "#00f" } })
    .composite([{ input: left, left: 0, top: 0 }]);
  const oriented = orientation === undefined
    ? image
    : image.withMetadata({ orientation }).withExif({ IFD0: { Copyright: "the name of a person" } });
  return new Uint8Array(await oriented.toFormat(format).toBuffer());
}

export interface PictureFacts {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  /** Whether the file has metadata in addition to the picture. */
  readonly hasMetadata: boolean;
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
