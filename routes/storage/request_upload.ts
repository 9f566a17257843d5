import type { KeyHolder } from "@/lib/auth/api_keys.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { uploadInput } from "@/lib/files/input.ts";
import { NO_STORE, okWith } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleRequestUpload: Handler<KeyHolder> = async (call) => {
  const input = uploadInput(await call.body());
  const requested = await requestUpload(call.services, call.principal.projectId, input);
  return { ...okWith({ ...requested }, "Upload requested"), headers: [NO_STORE] };
};
