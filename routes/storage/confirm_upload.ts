import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { confirmInput } from "@/lib/files/input.ts";
import { okWith } from "@/lib/http/respond.ts";
import type { Handler, InProject } from "../call.ts";

export const NO_URL =
  "The storage of this project has no public address: the file cannot be read by URL.";

export const handleConfirmUpload: Handler<InProject> = async (call) => {
  const input = confirmInput(await call.body());
  const confirmed = await confirmUpload(call.services, call.principal.projectId, input);
  const members = { ...confirmed, ...(confirmed.url === null && { warning: NO_URL }) };
  return okWith(members, "Upload confirmed");
};
