import type { FileInfo } from "@/lib/files/list_files.ts";
import { isSized } from "@/lib/files/picture_size.ts";
import type { Services } from "@/lib/services.ts";
import { texts } from "../texts/mod.ts";

const HOUR_MS = 3_600_000;

/**
 * A private picture with an address of its sizes that ends. It is the same for an hour, so that a
 * page that is looked at again loads no picture again.
 */
export function withSizes(
  { blobStores, clock }: Pick<Services, "blobStores" | "clock">,
  file: FileInfo,
): FileInfo {
  if (file.sizesUrl !== null || !isSized(file.contentType)) return file;
  const expiresAt = (Math.floor(clock.now() / HOUR_MS) + 2) * HOUR_MS;
  return { ...file, sizesUrl: blobStores.sizesUrl(file.path, expiresAt) };
}

/** The address of a size. @param size As the query of a file's address has it. */
export const sizeAddress = (sizesUrl: string, size: string): string =>
  `${sizesUrl}${sizesUrl.includes("?") ? "&" : "?"}${size}&format=auto`;

/** Twice as high as they are shown, for dense screens. */
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

/** Up to five letters or digits behind the last dot. */
const extensionOf = (filename: string): string =>
  /\.([A-Za-z0-9]{1,5})$/.exec(filename)?.[1]?.toLowerCase() ?? texts().files.unknownType;
