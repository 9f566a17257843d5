import { fileReply, type FileSource } from "@/routes/blobs/file_reply.ts";
import { Problem } from "@/lib/problems.ts";
import type { serveFile } from "@/openapi/paths/blobs.ts";
import type { HandlerOf } from "../call.ts";

export const handleServeFile: HandlerOf<typeof serveFile> = async (call) => {
  const { services, params, header, isHead } = call;
  const { localFiles, blobStores, servedFiles } = services;
  const path = `${params.projectId}/${params.name}`;
  const file = localFiles === null ? null : await servedFiles.find(path, header("host"));
  if (localFiles === null || file === null) throw new Problem("FILE_NOT_FOUND");
  const source: FileSource = {
    exists: async () => await blobStores.internal.stat("stored", path) !== null,
    body: (range) => localFiles.body(path, file.bytes, range),
  };
  const reply = await fileReply(file, source, {
    isHead,
    range: header("range"),
    ifRange: header("if-range"),
    ifNoneMatch: header("if-none-match"),
  });
  if (reply === null) throw new Problem("FILE_NOT_FOUND");
  return reply;
};
