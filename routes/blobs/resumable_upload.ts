import {
  cancelUpload,
  findProgress,
  resumeUpload,
  type UploadProgress,
} from "@/lib/files/resume_upload.ts";
import { refuseEncoded } from "@/lib/http/body.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { OFFSET_TYPE } from "@/lib/http/tus.ts";
import { Problem } from "@/lib/problems.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as contract from "@/openapi/paths/blobs.ts";
import type { HandlerOf } from "../handler.ts";

const progressHeaders = ({ offset, bytes, expiresAt }: UploadProgress) =>
  [
    ["upload-offset", String(offset)],
    ["upload-length", String(bytes)],
    ["upload-expires", new Date(expiresAt).toUTCString()],
    NO_STORE,
  ] as const;

export const handleGetUpload: HandlerOf<typeof contract.getUpload> = async (c) => {
  const progress = await findProgress(c.var.services, c.req.valid("param").token);
  const { offset, bytes: size, expiresAt } = progress;
  const reply = ok(200, jsonText({ offset, size, expiresAt }), "Upload found");
  return { ...reply, headers: progressHeaders(progress) };
};

export const handleResumeUpload: HandlerOf<typeof contract.resumeUpload> = async (c) => {
  const { services, body } = c.var;
  refuseEncoded(c.req.header("content-encoding") ?? null);
  if (body.type !== OFFSET_TYPE) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", {
      message: `Send the bytes with the Content-Type ${OFFSET_TYPE}.`,
    });
  }
  const { "upload-offset": offset, "upload-checksum": checksum } = c.req.valid("header");
  const announced = c.req.header("content-length");
  const progress = await resumeUpload(services, {
    token: c.req.valid("param").token,
    offset,
    checksum,
    announcedBytes: announced === undefined ? null : Number(announced),
    chunks: (limits) => body.chunks(limits),
    reserveMemory: (bytes) => body.hold(bytes),
  });
  return { status: 204, body: null, headers: progressHeaders(progress) };
};

export const handleCancelUpload: HandlerOf<typeof contract.cancelUpload> = async (c) => {
  await cancelUpload(c.var.services, c.req.valid("param").token);
  return { status: 204, body: null };
};
