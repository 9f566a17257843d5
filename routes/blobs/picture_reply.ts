import type { FilePlace } from "@/lib/files/blobs.ts";
import { chooseSize, type SizeQuery } from "@/lib/files/picture_size.ts";
import type { PictureCaller } from "@/lib/files/pictures.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { fileReply, type FileRequest, type FileSource } from "@/routes/blobs/file_reply.ts";

interface PictureRequest {
  readonly path: string;
  readonly places: readonly FilePlace[];
  readonly size: SizeQuery;
  readonly accept: string | null;
  readonly asked: FileRequest;
  readonly asker: PictureCaller;
}

/** Maximum number of attempts if the object of a resized picture is missing. */
const TRIES = 2;

/** Throws `FILE_NOT_FOUND` and the errors of {@linkcode Services.pictures}. */
export async function pictureReply(
  { pictures, blobStores, localFiles }: Services,
  { path, places, size, accept, asked, asker }: PictureRequest,
): Promise<Reply> {
  for (const place of places) {
    const row = await pictures.source(place, path);
    if (row === null) continue;
    const wanted = chooseSize(row.contentType, size, accept);
    for (let tries = 1; tries <= TRIES; tries++) {
      const picture = await pictures.find(row, wanted, asker);
      const { path, bytes } = picture;
      const source: FileSource = {
        exists: async () => await blobStores.internal.stat("derived", path) !== null,
        body: (range) =>
          localFiles === null
            ? blobStores.internal.read("derived", path, range ?? undefined)
            : localFiles.open("derived", path, bytes, range),
      };
      const reply = await fileReply(picture, source, asked);
      if (reply !== null) return size.format === "auto" ? withVary(reply) : reply;
      await pictures.forgetMissing(picture);
    }
  }
  throw new Problem("FILE_NOT_FOUND");
}

const withVary = (reply: Reply): Reply => ({
  ...reply,
  headers: [...reply.headers ?? [], ["vary", "Origin, Accept"]],
});
