import type { FileInfo } from "@/lib/files/list_files.ts";
import { newPath } from "@/lib/files/paths.ts";
import { UPLOAD_URL_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";

/** Parses an http or https address, or returns null. */
export const webUrl = (text: string | null): URL | null => {
  const url = text === null ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
};

/** An origin without characters that have a meaning in a content security policy. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/** Returns the other origins of the project's files, separated by spaces; null if none. */
export async function findFileOrigins(
  { blobStores, clock, config }: Services,
  projectId: Id,
  files: readonly FileInfo[],
): Promise<string | null> {
  const { blobs } = await blobStores.currentTarget(projectId);
  const path = newPath(projectId, crypto.randomUUID(), "origin");
  // Signed only to find out its origin.
  const upload = await blobs.signUpload({
    path,
    bytes: 1,
    contentType: "text/plain",
    expiresAt: clock.now() + UPLOAD_URL_MS,
  });
  // Includes the origin of files that are uploaded while the page is open.
  const sizes = blobStores.sizesUrl(path, null);
  const urls = [upload, blobs.publicUrl(path), sizes, ...files.map(({ url }) => url)];
  const origins = new Set(urls.flatMap((url) => webUrl(url)?.origin ?? []));
  origins.delete(new URL(config.publicUrl).origin);
  const plain = [...origins].filter((one) => PLAIN_ORIGIN.test(one));
  return plain.length === 0 ? null : plain.join(" ");
}
