import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";

/**
 * Reads a JSON body of at most `bytesMax`. Bytes are counted as they arrive, so nothing larger is
 * ever held. Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `REQUEST_TIMEOUT`, `INVALID_JSON`.
 */
export async function readJson(
  request: Request,
  bytesMax: number,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Json> {
  if (!isJson(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request, bytesMax, timeoutMs);
  if (bytes.length === 0) {
    throw new Problem("INVALID_JSON", { message: "The body is empty: send a JSON value." });
  }
  return jsonOf(bytes);
}

/** As {@linkcode readJson}, for a body that may be left out: undefined then, of whatever type. */
export async function readJsonIfAny(
  request: Request,
  bytesMax: number,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Json | undefined> {
  const bytes = await readBytes(request, bytesMax, timeoutMs);
  if (bytes.length === 0) return undefined;
  if (!isJson(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  return jsonOf(bytes);
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

/**
 * Reads the fields of a form of at most `bytesMax`. Throws `UNSUPPORTED_MEDIA_TYPE`,
 * `BODY_TOO_LARGE` and `REQUEST_TIMEOUT`.
 */
export async function readForm(
  request: Request,
  bytesMax: number,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(request.headers.get("content-type")?.trim() ?? "")) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", { message: "The body must be a form." });
  }
  const bytes = await readBytes(request, bytesMax, timeoutMs);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

function jsonOf(bytes: Uint8Array): Json {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Problem("INVALID_JSON", { cause });
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

const isJson = (type: string | null): boolean => type !== null && JSON_TYPE.test(type.trim());

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Refuses what is announced as no JSON, also where no body is due: a form can be sent by pages that
 * may not send JSON. Throws `UNSUPPORTED_MEDIA_TYPE`.
 */
export function refuseOtherTypes({ method, headers }: Request): void {
  if (!UNSAFE.has(method)) return;
  const type = headers.get("content-type");
  const hasBody = Number(headers.get("content-length") ?? 0) > 0;
  if (type === null ? hasBody : !isJson(type)) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
}

const tooLarge = (bytesMax: number) =>
  new Problem("BODY_TOO_LARGE", { message: `The body is larger than ${bytesMax} bytes.` });

async function readBytes(
  { headers, body }: Request,
  bytesMax: number,
  timeoutMs: number,
): Promise<Uint8Array> {
  const declared = Number(headers.get("content-length") ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem("REQUEST_TIMEOUT")), timeoutMs);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return joined(chunks, length);
      length += value.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // The client may be gone already.
    if (error instanceof Problem) throw error;
    throw new Problem("INVALID_JSON", { message: "The body was cut off.", cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
