import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { confirmInput, uploadInput } from "@/lib/files/input.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../call.ts";
import { NO_URL } from "../storage/confirm_upload.ts";

export const handleRequestProjectUpload: Handler<ProjectMember> = async (call) => {
  const input = uploadInput(await call.body());
  const requested = await requestUpload(call.services, call.principal.project._id, input);
  return { ...ok(200, JSON.stringify(requested), "Upload requested"), headers: [NO_STORE] };
};

export const handleConfirmProjectUpload: Handler<ProjectMember> = async (call) => {
  const input = confirmInput(await call.body());
  const confirmed = await confirmUpload(call.services, call.principal.project._id, input);
  const shown = { ...confirmed, ...(confirmed.url === null && { warning: NO_URL }) };
  return ok(200, JSON.stringify(shown), "Upload confirmed");
};
