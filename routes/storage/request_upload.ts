import { requestUpload } from "@/lib/files/request_upload.ts";
import type { UploadInput } from "@/openapi/schemas/storage.ts";
import type { z } from "zod";
import { NO_STORE, okWith } from "@/lib/http/respond.ts";
import type { Handler, InProject } from "../call.ts";

export const handleRequestUpload: Handler<InProject, z.infer<typeof UploadInput>> = async (
  call,
) => {
  const { filename, contentType, size: bytes } = call.input;
  const requested = await requestUpload(call.services, call.principal.projectId, {
    filename,
    contentType,
    bytes,
  });
  return { ...okWith({ ...requested }, "Upload requested"), headers: [NO_STORE] };
};
