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

/** What stands around the fields, beside what they hold. */
const MARGIN = 65_536;
const WHOLE_MS = 300_000;
/** More than any of our forms has. */
const PARTS_MAX = 10;

/** The parts of a form by their names. */
export type UploadForm = ReadonlyMap<string, MultipartPart>;

/**
 * Reads a form of several parts that has a file, counting as it arrives. Throws
 * `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` and `INVALID_INPUT`.
 */
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
    for await (const chunk of body.chunks({ stallMs: UPLOAD_STALL_MS, wholeMs: WHOLE_MS })) {
      length += chunk.length;
      if (length > bytesMax + MARGIN) throw tooLarge(bytesMax);
      body.hold(chunk.length);
      const kept = new Uint8Array(chunk); // The memory of a chunk is used again.
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
