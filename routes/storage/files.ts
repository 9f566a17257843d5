import { deleteFile } from "@/lib/files/delete_file.ts";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { pathIn } from "@/lib/files/paths.ts";
import type { FileScope } from "@/lib/files/uploads.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as storage from "@/openapi/paths/storage.ts";
import type { HandlerOf } from "../handler.ts";

export const handleDeleteFile: HandlerOf<typeof storage.deleteFile, FileScope> = async (c) => {
  const { services, principal } = c.var;
  await deleteFile(services, principal, pathIn(c.req.valid("json").path));
  return ok(200, JSON.stringify({ deleted: true }), "File deleted");
};

export const handleListFiles: HandlerOf<typeof storage.listFiles, FileScope> = async (c) => {
  const { services, principal } = c.var;
  const page = await listFiles(services, principal, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Files listed");
};

export const handleGetFileInfo: HandlerOf<typeof storage.getFileInfo> = async (c) => {
  const { services, principal } = c.var;
  const info = await getFileInfo(services, principal, c.req.valid("query").path);
  return ok(200, JSON.stringify(info), "File read");
};

export const handleGetStorageUsage: HandlerOf<typeof storage.getStorageUsage> = async (c) => {
  const { services, principal } = c.var;
  const usage = await getStorageUsage(services, principal.projectId);
  return ok(200, JSON.stringify(usage), "Usage read");
};
