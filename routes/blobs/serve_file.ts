import { fileReply, type FileSource } from "@/lib/http/file_reply.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleServeFile: Handler<null> = async ({ services, param, header, isHead }) => {
  const { localFiles, blobStores, servedFiles } = services;
  const path = `${param("projectId")}/${param("name")}`;
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
