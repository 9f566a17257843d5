import { dangerOf } from "@/lib/files/active_types.ts";
import type { ServedFile } from "@/lib/files/served_files.ts";
import { disposition } from "@/lib/http/disposition.ts";
import { fileReply } from "@/lib/http/file_reply.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleServeFile: Handler<null> = async ({ services, param, header, isHead }) => {
  const { localFiles, blobStores, servedFiles } = services;
  const path = `${param("projectId")}/${param("name")}`;
  const file = localFiles === null ? null : await servedFiles.find(path);
  if (localFiles === null || file === null) throw new Problem("FILE_NOT_FOUND");
  const danger = dangerOf(file.contentType);
  const reply = await fileReply(
    {
      bytes: file.bytes,
      contentType: danger === "runs" ? "application/octet-stream" : file.contentType,
      etag: `"${path.split(/[/_]/)[1]}"`,
      headers: headersOf(file, danger === "opens"),
      exists: async () => await blobStores.internal.stat("stored", path) !== null,
      body: (range) => localFiles.body(path, file.bytes, range),
    },
    {
      isHead,
      range: header("range"),
      ifRange: header("if-range"),
      ifNoneMatch: header("if-none-match"),
    },
  );
  if (reply === null) throw new Problem("FILE_NOT_FOUND");
  return reply;
};

/** Whoever is let in to look at a file can do nothing on its host by it. */
const headersOf = ({ filename }: ServedFile, isPage: boolean) =>
  [
    ["cache-control", "public, max-age=31536000, immutable"],
    ["content-disposition", disposition(isPage ? "attachment" : "inline", filename)],
    ["x-content-type-options", "nosniff"],
    ["cross-origin-resource-policy", "cross-origin"],
    ...(isPage ? [SANDBOX] : []),
  ] as const;

const SANDBOX = [
  "content-security-policy",
  "default-src 'none'; style-src 'unsafe-inline'; sandbox",
] as const;
