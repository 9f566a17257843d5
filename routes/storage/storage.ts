import { type ConfirmedUpload, confirmUpload } from "@/lib/files/confirm_upload.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { getFileInfo, listFiles } from "@/lib/files/list_files.ts";
import { pathFromUrl } from "@/lib/files/paths.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { signFile } from "@/lib/files/sign_file.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { NO_STORE, ok, okWithFields } from "@/lib/http/respond.ts";
import { SIGNED_SECONDS_DEFAULT } from "@/lib/limits.ts";
import type { STORAGE } from "@/openapi/paths/storage.ts";
import type { HandlersOf } from "../handler.ts";

const NO_URL = "The storage of this project has no public address: the file cannot be read by URL.";

/** Returns a warning if a public file does not have an address. */
export const withoutUrl = ({ url, visibility }: ConfirmedUpload) =>
  url === null && visibility === "public" ? { warning: NO_URL } : {};

export const storage: HandlersOf<typeof STORAGE> = {
  requestUpload: async (c) => {
    const { services, principal } = c.var;
    const { size: bytes, ...described } = c.req.valid("json");
    const input = { ...described, bytes };
    const { projectId, uploader } = principal;
    const requested = await requestUpload(services, projectId, input, uploader);
    return { ...okWithFields({ ...requested }, "Upload requested"), headers: [NO_STORE] };
  },

  confirmUpload: async (c) => {
    const { services, principal } = c.var;
    const { size: bytes, filePath: path } = c.req.valid("json");
    const confirmed = await confirmUpload(services, principal, { path, bytes });
    const members = { ...confirmed, ...withoutUrl(confirmed) };
    return okWithFields(members, "Upload confirmed");
  },

  signFile: async (c) => {
    const { services, principal } = c.var;
    const { path, expiresIn: seconds = SIGNED_SECONDS_DEFAULT } = c.req.valid("json");
    const signed = await signFile(services, principal, { path: pathFromUrl(path), seconds });
    return { ...ok(200, JSON.stringify(signed), "Address signed"), headers: [NO_STORE] };
  },

  deleteFile: async (c) => {
    const { services, principal } = c.var;
    await deleteFile(services, principal, pathFromUrl(c.req.valid("json").path));
    return ok(200, JSON.stringify({ deleted: true }), "File deleted");
  },

  listFiles: async (c) => {
    const { services, principal } = c.var;
    const page = await listFiles(services, principal, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Files listed");
  },

  getFileInfo: async (c) => {
    const { services, principal } = c.var;
    const info = await getFileInfo(services, principal, c.req.valid("query").path);
    return ok(200, JSON.stringify(info), "File read");
  },

  getStorageUsage: async (c) => {
    const { services, principal } = c.var;
    const usage = await getStorageUsage(services, principal.projectId);
    return ok(200, JSON.stringify(usage), "Usage read");
  },
};
