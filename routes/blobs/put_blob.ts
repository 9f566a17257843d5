import { fileEtag } from "@/lib/files/paths.ts";
import { receiveUpload } from "@/lib/files/receive_upload.ts";
import { refuseEncoded } from "@/lib/http/body.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { putBlob } from "@/openapi/paths/blobs.ts";
import type { HandlerOf } from "../handler.ts";

export const handlePutBlob: HandlerOf<typeof putBlob> = async (c) => {
  const { services, body } = c.var;
  refuseEncoded(c.req.header("content-encoding") ?? null);
  if (c.req.header("content-range") !== undefined) {
    throw new Problem("INVALID_UPLOAD", {
      message: "Send the complete file: leave Content-Range out.",
    });
  }
  const announced = c.req.header("content-length");
  const { bytes, path } = await receiveUpload(services, {
    token: c.req.valid("param").token,
    contentType: c.req.header("content-type") ?? null,
    bytes: announced === undefined ? null : Number(announced),
    chunks: (limits) => body.chunks(limits),
  });
  return ok(200, jsonText({ size: bytes }), "File received: confirm the upload", fileEtag(path));
};
