import type { FilePlace } from "@/lib/files/blobs.ts";
import { hasSizeParameters } from "@/lib/files/picture_size.ts";
import type { ReadSignatures } from "@/lib/files/read_signatures.ts";
import { Problem } from "@/lib/problems.ts";
import type { serveFile } from "@/openapi/paths/blobs.ts";
import { fileReply, type FileRequest, type FileSource } from "@/routes/blobs/file_reply.ts";
import { pictureReply } from "@/routes/blobs/picture_reply.ts";
import type { HandlerOf } from "../handler.ts";

export const handleServeFile: HandlerOf<typeof serveFile> = async (c) => {
  const { services, state } = c.var;
  const { localFiles, blobStores, servedFiles, readSignatures } = services;
  const { projectId, name } = c.req.valid("param");
  const path = `${projectId}/${name}`;
  const query = c.req.valid("query");
  const { accept, range, "if-range": ifRange, "if-none-match": ifNoneMatch } = c.req.valid(
    "header",
  );
  const asked: FileRequest = { isHead: c.req.method === "HEAD", range, ifRange, ifNoneMatch };
  const places = placesFor(readSignatures, path, query);
  if (hasSizeParameters(query)) {
    const asker = { client: state.network, gone: state.raw.signal };
    return await pictureReply(services, { path, places, size: query, accept, asked, asker });
  }
  if (localFiles === null) throw new Problem("FILE_NOT_FOUND");
  const host = c.req.header("host") ?? null;
  for (const place of places) {
    const file = await servedFiles.find(place, path, host);
    if (file === null) continue;
    const source: FileSource = {
      exists: async () => await blobStores.internal.stat(place, path) !== null,
      body: (range) => localFiles.open(place, path, file.bytes, range),
    };
    const reply = await fileReply(file, source, asked);
    if (reply !== null) return reply;
  }
  throw new Problem("FILE_NOT_FOUND");
};

/** Returns the places that the address permits to read from. Throws `FILE_ADDRESS_INVALID`. */
function placesFor(
  signatures: ReadSignatures,
  path: string,
  { expires, signature }: { expires?: string | undefined; signature?: string | undefined },
): readonly FilePlace[] {
  if (expires === undefined || signature === undefined) return ["stored"];
  if (signatures.isValid(path, { expires, signature })) return ["private", "stored"];
  throw new Problem("FILE_ADDRESS_INVALID");
}
