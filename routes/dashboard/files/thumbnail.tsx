import type { FileInfo } from "@/lib/files/list_files.ts";
import { isResizable } from "@/lib/files/picture_size.ts";
import type { Services } from "@/lib/services.ts";
import { texts } from "../texts/mod.ts";

const HOUR_MS = 3_600_000;

/** Adds an address of resized pictures that changes once an hour, so that browsers cache them. */
export function withSizes(
  { blobStores, clock }: Pick<Services, "blobStores" | "clock">,
  file: FileInfo,
): FileInfo {
  if (file.sizesUrl !== null || !isResizable(file.contentType)) return file;
  const expiresAt = (Math.floor(clock.now() / HOUR_MS) + 2) * HOUR_MS;
  return { ...file, sizesUrl: blobStores.sizesUrl(file.path, expiresAt) };
}

/** Returns the address of a resized picture. @param size Size as a query parameter. */
export const sizeAddress = (sizesUrl: string, size: string): string =>
  `${sizesUrl}${sizesUrl.includes("?") ? "&" : "?"}${size}&format=auto`;

/** Heights in pixels, twice the displayed ones for high-density screens. */
const HEIGHTS = { thumb: 256, "thumb large": 512 };

export const Thumbnail = (
  { file: { sizesUrl, filename }, class: name = "thumb" }: {
    file: FileInfo;
    class?: keyof typeof HEIGHTS;
  },
) => (
  <span class={name} aria-hidden="true">
    {sizesUrl === null
      ? extensionOf(filename)
      : <img src={sizeAddress(sizesUrl, `h=${HEIGHTS[name]}`)} alt="" loading="lazy" />}
  </span>
);

/** Returns the extension of up to five letters or digits. */
const extensionOf = (filename: string): string =>
  /\.([A-Za-z0-9]{1,5})$/.exec(filename)?.[1]?.toLowerCase() ?? texts().files.unknownType;
