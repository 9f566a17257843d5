import { requestUpload } from "@/lib/files/request_upload.ts";
import { NO_STORE, okWith } from "@/lib/http/respond.ts";
import type { requestUpload as contract } from "@/openapi/paths/storage.ts";
import type { HandlerOf } from "../call.ts";

export const handleRequestUpload: HandlerOf<typeof contract> = async (call) => {
  const { filename, contentType, size: bytes } = call.input;
  const requested = await requestUpload(call.services, call.principal.projectId, {
    filename,
    contentType,
    bytes,
  });
  return { ...okWith({ ...requested }, "Upload requested"), headers: [NO_STORE] };
};
