import { changeVisibility } from "@/lib/files/change_visibility.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { pathIn } from "@/lib/files/paths.ts";
import type { FileScope } from "@/lib/files/uploads.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { SIGNED_SECONDS_DEFAULT } from "@/lib/limits.ts";
import type { changeProjectFile } from "@/openapi/paths/project_files.ts";
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

export const handleSignFile: HandlerOf<typeof storage.signFile, FileScope> = async (c) => {
  const { services, principal } = c.var;
  const { path, expiresIn: seconds = SIGNED_SECONDS_DEFAULT } = c.req.valid("json");
  const signed = await signFile(services, principal, { path: pathIn(path), seconds });
  return { ...ok(200, JSON.stringify(signed), "Address signed"), headers: [NO_STORE] };
};

export const handleChangeFile: HandlerOf<typeof changeProjectFile, FileScope> = async (c) => {
  const { services, principal } = c.var;
  const { path, visibility } = c.req.valid("json");
  const changed = await changeVisibility(services, principal, { path: pathIn(path), visibility });
  return ok(200, JSON.stringify(changed), "File changed");
};

export const handleGetStorageUsage: HandlerOf<typeof storage.getStorageUsage> = async (c) => {
  const { services, principal } = c.var;
  const usage = await getStorageUsage(services, principal.projectId);
  return ok(200, JSON.stringify(usage), "Usage read");
};
