import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { allFilesOf } from "@/lib/files/uploads.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { confirmProjectUpload, requestProjectUpload } from "@/openapi/paths/project_files.ts";
import type { HandlerOf } from "../handler.ts";
import { withoutUrl } from "../storage/confirm_upload.ts";

export const handleRequestProjectUpload: HandlerOf<typeof requestProjectUpload> = async (c) => {
  const { services, principal } = c.var;
  const { size: bytes, ...described } = c.req.valid("json");
  const input = { ...described, bytes };
  const requested = await requestUpload(services, principal.project._id, input);
  return { ...ok(200, JSON.stringify(requested), "Upload requested"), headers: [NO_STORE] };
};

export const handleConfirmProjectUpload: HandlerOf<typeof confirmProjectUpload> = async (c) => {
  const { services, principal } = c.var;
  const { size: bytes, filePath: path } = c.req.valid("json");
  const scope = allFilesOf(principal.project._id);
  const confirmed = await confirmUpload(services, scope, { path, bytes });
  const shown = { ...confirmed, ...withoutUrl(confirmed) };
  return ok(200, JSON.stringify(shown), "Upload confirmed");
};
