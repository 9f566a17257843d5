import { requestUpload } from "@/lib/files/request_upload.ts";
import { uploadInput } from "@/lib/files/input.ts";
import { NO_STORE, okWith } from "@/lib/http/respond.ts";
import type { Handler, InProject } from "../call.ts";

export const handleRequestUpload: Handler<InProject> = async (call) => {
  const input = uploadInput(await call.body());
  const requested = await requestUpload(call.services, call.principal.projectId, input);
  return { ...okWith({ ...requested }, "Upload requested"), headers: [NO_STORE] };
};
