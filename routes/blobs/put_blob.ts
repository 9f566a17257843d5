import { fileEtag } from "@/lib/files/paths.ts";
import { receiveUpload } from "@/lib/files/receive_upload.ts";
import { refuseEncoded } from "@/lib/http/body.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { putBlob } from "@/openapi/paths/blobs.ts";
import type { HandlerOf } from "../call.ts";

export const handlePutBlob: HandlerOf<typeof putBlob> = async (call) => {
  const { services, params, header, chunks } = call;
  refuseEncoded(header("content-encoding"));
  if (header("content-range") !== null) {
    throw new Problem("INVALID_UPLOAD", {
      message: "A file is sent whole: leave Content-Range out.",
    });
  }
  const announced = header("content-length");
  const { bytes, path } = await receiveUpload(services, {
    token: params.token,
    contentType: header("content-type"),
    bytes: announced === null ? null : Number(announced),
    chunks,
  });
  return ok(200, jsonText({ size: bytes }), "File received: confirm the upload", fileEtag(path));
};
