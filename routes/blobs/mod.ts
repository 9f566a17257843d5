import type { BLOBS } from "@/openapi/paths/blobs.ts";
import type { HandlersOf } from "../handler.ts";
import { handlePutBlob } from "./put_blob.ts";
import { handleCancelUpload, handleGetUpload, handleResumeUpload } from "./resumable_upload.ts";
import { handleServeFile } from "./serve_file.ts";

export const blobs: HandlersOf<typeof BLOBS> = {
  putBlob: handlePutBlob,
  getUpload: handleGetUpload,
  resumeUpload: handleResumeUpload,
  cancelUpload: handleCancelUpload,
  serveFile: handleServeFile,
};
