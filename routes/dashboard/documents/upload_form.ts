import {
  MaxFileSizeExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from "@remix-run/multipart-parser";
import { boundaryOf } from "@/lib/http/boundary.ts";
import { UPLOAD_STALL_MS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { RequestBody } from "../../request_body.ts";
import { texts } from "../texts/mod.ts";

/** Maximum bytes of a form in addition to the content of its fields. */
const FRAMING_BYTES = 65_536;
const TOTAL_MS = 300_000;
/** Maximum number of parts, more than any form of the dashboard has. */
const PARTS_MAX = 10;

export type UploadForm = ReadonlyMap<string, MultipartPart>;

/** Reads a form. Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` or `INVALID_INPUT`. */
export async function readUploadForm(
  body: Pick<RequestBody, "type" | "chunks" | "hold">,
  bytesMax: number,
): Promise<UploadForm> {
  const boundary = boundaryOf(body.type);
  if (boundary === null) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  const limits = { maxFileSize: bytesMax, maxTotalSize: bytesMax, maxParts: PARTS_MAX };
  const parser = new MultipartParser(boundary, limits);
  const form = new Map<string, MultipartPart>();
  let length = 0;
  try {
    for await (const chunk of body.chunks({ stallMs: UPLOAD_STALL_MS, totalMs: TOTAL_MS })) {
      length += chunk.length;
      if (length > bytesMax + FRAMING_BYTES) throw tooLarge(bytesMax);
      body.hold(chunk.length);
      const kept = new Uint8Array(chunk); // The memory of a chunk is reused.
      for (const part of parser.write(kept)) form.set(part.name ?? "", part);
    }
    parser.finish();
    return form;
  } catch (error) {
    throw readingProblem(error, bytesMax);
  }
}

const tooLarge = (bytesMax: number, cause?: unknown) =>
  new Problem("BODY_TOO_LARGE", {
    message: texts().documents.importing.tooLarge(bytesMax),
    cause,
  });

function readingProblem(error: unknown, bytesMax: number): unknown {
  if (error instanceof MaxFileSizeExceededError || error instanceof MaxTotalSizeExceededError) {
    return tooLarge(bytesMax, error);
  }
  if (!(error instanceof MultipartParseError)) return error;
  const { unreadable } = texts().documents.importing;
  return new Problem("INVALID_INPUT", { message: unreadable, cause: error });
}
