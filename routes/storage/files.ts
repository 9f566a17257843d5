import { deleteFile } from "@/lib/files/delete_file.ts";
import { pathIn } from "@/lib/files/paths.ts";
import { Problem } from "@/lib/problems.ts";
import type { DeleteFileInput } from "@/openapi/schemas/storage.ts";
import type { z } from "zod";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler, InProject } from "../call.ts";

export const handleDeleteFile: Handler<
  InProject,
  z.infer<typeof DeleteFileInput>
> = async (call) => {
  await deleteFile(call.services, call.principal.projectId, pathIn(call.input.path));
  return ok(200, JSON.stringify({ deleted: true }), "File deleted");
};

export const handleListFiles: Handler<InProject> = async (call) => {
  const page = await listFiles(call.services, call.principal.projectId, call.query);
  return ok(200, JSON.stringify(page), "Files listed");
};

export const handleGetFileInfo: Handler<InProject> = async (call) => {
  const path = queriedPath(call.query);
  const info = await getFileInfo(call.services, call.principal.projectId, path);
  return ok(200, JSON.stringify(info), "File read");
};

export const handleGetStorageUsage: Handler<InProject> = async (call) => {
  const usage = await getStorageUsage(call.services, call.principal.projectId);
  return ok(200, JSON.stringify(usage), "Usage read");
};

/** Throws `INVALID_QUERY`. */
function queriedPath(query: string): string {
  const given = [...new URLSearchParams(query)];
  const path = given[0]?.[1];
  if (given.length === 1 && given[0]![0] === "path" && path) return path;
  throw new Problem("INVALID_QUERY", { message: 'Send "path", once, and nothing else.' });
}
