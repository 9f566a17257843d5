import { deleteFile } from "@/lib/files/delete_file.ts";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { pathIn } from "@/lib/files/paths.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as storage from "@/openapi/paths/storage.ts";
import type { HandlerOf, InProject } from "../call.ts";

export const handleDeleteFile: HandlerOf<typeof storage.deleteFile, InProject> = async (call) => {
  await deleteFile(call.services, call.principal.projectId, pathIn(call.input.path));
  return ok(200, JSON.stringify({ deleted: true }), "File deleted");
};

export const handleListFiles: HandlerOf<typeof storage.listFiles, InProject> = async (call) => {
  const page = await listFiles(call.services, call.principal.projectId, call.query);
  return ok(200, JSON.stringify(page), "Files listed");
};

export const handleGetFileInfo: HandlerOf<typeof storage.getFileInfo> = async (call) => {
  const info = await getFileInfo(call.services, call.principal.projectId, call.query.path);
  return ok(200, JSON.stringify(info), "File read");
};

export const handleGetStorageUsage: HandlerOf<typeof storage.getStorageUsage> = async (call) => {
  const usage = await getStorageUsage(call.services, call.principal.projectId);
  return ok(200, JSON.stringify(usage), "Usage read");
};
