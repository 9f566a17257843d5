import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import type { ConfirmInput, UploadInput } from "@/openapi/schemas/storage.ts";
import type { z } from "zod";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../call.ts";
import { NO_URL } from "../storage/confirm_upload.ts";

export const handleRequestProjectUpload: Handler<ProjectMember, z.infer<typeof UploadInput>> =
  async (call) => {
    const { filename, contentType, size: bytes } = call.input;
    const requested = await requestUpload(call.services, call.principal.project._id, {
      filename,
      contentType,
      bytes,
    });
    return { ...ok(200, JSON.stringify(requested), "Upload requested"), headers: [NO_STORE] };
  };

export const handleConfirmProjectUpload: Handler<
  ProjectMember,
  z.infer<typeof ConfirmInput>
> = async (call) => {
  const { size: bytes, filePath: path } = call.input;
  const confirmed = await confirmUpload(call.services, call.principal.project._id, { path, bytes });
  const shown = { ...confirmed, ...(confirmed.url === null && { warning: NO_URL }) };
  return ok(200, JSON.stringify(shown), "Upload confirmed");
};
