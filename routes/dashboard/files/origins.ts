import type { FileInfo } from "@/lib/files/list_files.ts";
import { newPath } from "@/lib/files/paths.ts";
import { UPLOAD_URL_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";

/** An address that a page may lead to; null for every other text. */
export const webUrl = (text: string | null): URL | null => {
  const url = text === null ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
};

/** Hosts may have marks in them that say something else in a policy. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/**
 * Where else than to us a page sends the project's files, and whence it shows these: origins with
 * spaces between them; null for nowhere else.
 */
export async function originsOf(
  { blobStores, clock, config }: Services,
  projectId: Id,
  files: readonly FileInfo[],
): Promise<string | null> {
  const { blobs } = await blobStores.current(projectId);
  const path = newPath(projectId, crypto.randomUUID(), "origin");
  // It is for no upload: only where it leads to is looked at.
  const upload = await blobs.signUpload({
    path,
    bytes: 1,
    contentType: "text/plain",
    expiresAt: clock.now() + UPLOAD_URL_MS,
  });
  // The next file is shown on the page that is there already.
  const sizes = blobStores.sizesUrl(path, null);
  const urls = [upload, blobs.publicUrl(path), sizes, ...files.map(({ url }) => url)];
  const origins = new Set(urls.flatMap((url) => webUrl(url)?.origin ?? []));
  origins.delete(new URL(config.publicUrl).origin);
  const plain = [...origins].filter((one) => PLAIN_ORIGIN.test(one));
  return plain.length === 0 ? null : plain.join(" ");
}
