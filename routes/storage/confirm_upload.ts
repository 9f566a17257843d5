import { type ConfirmedUpload, confirmUpload } from "@/lib/files/confirm_upload.ts";
import { okWith } from "@/lib/http/respond.ts";
import type { confirmUpload as contract } from "@/openapi/paths/storage.ts";
import type { HandlerOf } from "../handler.ts";

const NO_URL = "The storage of this project has no public address: the file cannot be read by URL.";

/** A word beside the answer where a file that everybody may read has no address. */
export const withoutUrl = ({ url, visibility }: ConfirmedUpload) =>
  url === null && visibility === "public" ? { warning: NO_URL } : {};

export const handleConfirmUpload: HandlerOf<typeof contract> = async (c) => {
  const { services, principal } = c.var;
  const { size: bytes, filePath: path } = c.req.valid("json");
  const confirmed = await confirmUpload(services, principal, { path, bytes });
  const members = { ...confirmed, ...withoutUrl(confirmed) };
  return okWith(members, "Upload confirmed");
};
