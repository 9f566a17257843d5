import { FORM_BYTES_MAX, UPLOAD_STALL_MS } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Call } from "../../call.ts";

/** What stands around the fields, beside what they hold. */
const MARGIN = 65_536;
const WHOLE_MS = 300_000;

/** Reads a form of several parts that has a file. Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`. */
export async function readUploadForm(call: Pick<Call<unknown>, "header" | "chunks" | "hold">) {
  const type = call.header("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of call.chunks({ stallMs: UPLOAD_STALL_MS, wholeMs: WHOLE_MS })) {
    length += chunk.length;
    if (length > FORM_BYTES_MAX + MARGIN) {
      throw new Problem("BODY_TOO_LARGE", {
        message: `The file is larger than ${FORM_BYTES_MAX} bytes: send it in parts.`,
      });
    }
    call.hold(chunk.length);
    chunks.push(new Uint8Array(chunk)); // The memory of a chunk is used again.
  }
  try {
    return await new Response(new Blob(chunks), { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw new Problem("INVALID_INPUT", { message: "The form was cut off: send it again.", cause });
  }
}
