import { requestUpload } from "@/lib/files/request_upload.ts";
import { NO_STORE, okWith } from "@/lib/http/respond.ts";
import type { requestUpload as contract } from "@/openapi/paths/storage.ts";
import type { HandlerOf } from "../handler.ts";

export const handleRequestUpload: HandlerOf<typeof contract> = async (c) => {
  const { services, principal } = c.var;
  const { size: bytes, ...described } = c.req.valid("json");
  const input = { ...described, bytes };
  const { projectId, uploader } = principal;
  const requested = await requestUpload(services, projectId, input, uploader);
  return { ...okWith({ ...requested }, "Upload requested"), headers: [NO_STORE] };
};
