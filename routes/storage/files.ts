import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { deletedPath, queriedPath } from "@/lib/files/input.ts";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleDeleteFile: Handler<KeyHolder> = async (call) => {
  await deleteFile(call.services, call.principal.projectId, deletedPath(await call.body()));
  return ok(200, JSON.stringify({ deleted: true }), "File deleted");
};

export const handleListFiles: Handler<KeyHolder> = async (call) => {
  const page = await listFiles(call.services, call.principal.projectId, call.query);
  return ok(200, JSON.stringify(page), "Files listed");
};

export const handleGetFileInfo: Handler<KeyHolder> = async (call) => {
  const path = queriedPath(call.query);
  const info = await getFileInfo(call.services, call.principal.projectId, path);
  return ok(200, JSON.stringify(info), "File read");
};

export const handleGetStorageUsage: Handler<KeyHolder> = async (call) => {
  const usage = await getStorageUsage(call.services, call.principal.projectId);
  return ok(200, JSON.stringify(usage), "Usage read");
};
