import type { FilePlace } from "@/lib/files/blobs.ts";
import { type AskedSize, sizeFor } from "@/lib/files/picture_size.ts";
import type { Asker } from "@/lib/files/pictures.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { fileReply, type FileRequest, type FileSource } from "@/routes/blobs/file_reply.ts";

interface PictureRequest {
  readonly path: string;
  readonly places: readonly FilePlace[];
  readonly size: AskedSize;
  readonly accept: string | null;
  readonly asked: FileRequest;
  readonly asker: Asker;
}

/** How often a size is looked for whose object turns out to be missing. */
const TRIES = 2;

/** A size of a picture. Throws `FILE_NOT_FOUND`, and what {@linkcode Services.pictures} does. */
export async function pictureReply(
  { pictures, blobStores, localFiles }: Services,
  { path, places, size, accept, asked, asker }: PictureRequest,
): Promise<Reply> {
  for (const place of places) {
    const row = await pictures.source(place, path);
    if (row === null) continue;
    const wanted = sizeFor(row.contentType, size, accept);
    for (let tries = 1; tries <= TRIES; tries++) {
      const picture = await pictures.find(row, wanted, asker);
      const { path, bytes } = picture;
      const source: FileSource = {
        exists: async () => await blobStores.internal.stat("derived", path) !== null,
        body: (range) =>
          localFiles === null
            ? blobStores.internal.read("derived", path, range ?? undefined)
            : localFiles.body("derived", path, bytes, range),
      };
      const reply = await fileReply(picture, source, asked);
      if (reply !== null) return size.format === "auto" ? varying(reply) : reply;
      await pictures.lost(picture);
    }
  }
  throw new Problem("FILE_NOT_FOUND");
}

/** The format is chosen by what the client shows. */
const varying = (reply: Reply): Reply => ({
  ...reply,
  headers: [...reply.headers ?? [], ["vary", "Origin, Accept"]],
});
