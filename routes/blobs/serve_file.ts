import { fileReply, type FileSource } from "@/routes/blobs/file_reply.ts";
import { Problem } from "@/lib/problems.ts";
import type { serveFile } from "@/openapi/paths/blobs.ts";
import type { HandlerOf } from "../handler.ts";

export const handleServeFile: HandlerOf<typeof serveFile> = async (c) => {
  const { localFiles, blobStores, servedFiles } = c.var.services;
  const { projectId, name } = c.req.valid("param");
  const path = `${projectId}/${name}`;
  const file = localFiles === null
    ? null
    : await servedFiles.find(path, c.req.header("host") ?? null);
  if (localFiles === null || file === null) throw new Problem("FILE_NOT_FOUND");
  const source: FileSource = {
    exists: async () => await blobStores.internal.stat("stored", path) !== null,
    body: (range) => localFiles.body(path, file.bytes, range),
  };
  const { range, "if-range": ifRange, "if-none-match": ifNoneMatch } = c.req.valid("header");
  const reply = await fileReply(file, source, {
    isHead: c.req.method === "HEAD",
    range,
    ifRange,
    ifNoneMatch,
  });
  if (reply === null) throw new Problem("FILE_NOT_FOUND");
  return reply;
};
