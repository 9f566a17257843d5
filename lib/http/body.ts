import { BODY_MEMBERS_MAX, BODY_VALUES_MAX, REQUEST_TIMEOUT_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { jsonErrorReason } from "../store/exact_json.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import type { ByteReservation } from "./byte_budget.ts";
import { concatBytes, readAllChunks, ReadFailed } from "./bounded_reader.ts";
import { refuseLargeForm } from "./form_size.ts";

export interface BodyLimits {
  readonly bytesMax: number;
  readonly reservation: ByteReservation;
  /** Milliseconds for the entire body. */
  readonly timeoutMs?: number;
}

/**
 * Reads a JSON body. Bytes are counted as they arrive, so at most `bytesMax` are in memory. Throws
 * `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `REQUEST_TIMEOUT`, `INVALID_JSON` and `SERVER_BUSY`.
 */
export async function readJson(request: Request, limits: BodyLimits): Promise<Json> {
  if (!isJsonType(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) {
    throw new Problem("INVALID_JSON", { message: "The body is empty: send a JSON value." });
  }
  return parseJsonBody(bytes);
}

/** Reads an optional JSON body like {@linkcode readJson}; undefined if the body is empty. */
export async function readJsonIfAny(
  request: Request,
  limits: BodyLimits,
): Promise<Json | undefined> {
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  if (!isJsonType(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  return parseJsonBody(bytes);
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

/** Reads a form. Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE` and `REQUEST_TIMEOUT`. */
export async function readForm(
  request: Request,
  { fieldsMax, ...limits }: BodyLimits & { readonly fieldsMax: number },
): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(request.headers.get("content-type")?.trim() ?? "")) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", { message: "The body must be a form." });
  }
  const bytes = await readBytes(request, limits);
  refuseLargeForm(bytes, fieldsMax);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

function parseJsonBody(bytes: Uint8Array): Json {
  refuseManyValues(bytes);
  const text = decodeJsonBody(bytes);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new Problem("INVALID_JSON", {
      message: `The body ${jsonErrorReason(cause, text)}.`,
      cause,
    });
  }
}

function decodeJsonBody(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    const message = `The body is not valid JSON: it ${(cause as Error).message}.`;
    throw new Problem("INVALID_JSON", { message, cause });
  }
}

/** The ASCII code of a character with a meaning in JSON. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
/** An object or list counts as this number of values, because an empty one takes as much memory. */
const CONTAINER_VALUES_COUNT = 5;

/** Counts values before parsing: they take more memory than bytes. Throws `BODY_TOO_LARGE`. */
function refuseManyValues(bytes: Uint8Array): void {
  // A text this short cannot exceed the limits.
  if (bytes.length < Math.min(BODY_MEMBERS_MAX, BODY_VALUES_MAX / CONTAINER_VALUES_COUNT)) return;
  let [members, values, inString] = [0, 0, false];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) i++;
    else if (inString) continue;
    else if (byte === COMMA) values++;
    else if (byte === COLON) members++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) values += CONTAINER_VALUES_COUNT;
  }
  if (members <= BODY_MEMBERS_MAX && values <= BODY_VALUES_MAX) return;
  throw new Problem("BODY_TOO_LARGE", {
    message: `The body has more than ${BODY_MEMBERS_MAX} members or ${BODY_VALUES_MAX} values in ` +
      "all: send it in parts.",
  });
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

export const isJsonType = (type: string | null): boolean =>
  type !== null && JSON_TYPE.test(type.trim());

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Pages of other origins can send forms but not JSON. Throws `UNSUPPORTED_MEDIA_TYPE`. */
export function refuseOtherTypes({ method, headers }: Request): void {
  if (!UNSAFE.has(method)) return;
  const type = headers.get("content-type");
  const hasBody = Number(headers.get("content-length") ?? 0) > 0;
  if (type === null ? hasBody : !isJsonType(type)) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
}

/** Refuses compressed bodies, which no operation decompresses. Throws `UNSUPPORTED_MEDIA_TYPE`. */
export function refuseEncoded(contentEncoding: string | null): void {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  throw new Problem("UNSUPPORTED_MEDIA_TYPE", {
    message: "The body has a Content-Encoding: send it without compression.",
  });
}

const bodyTooLarge = (bytesMax: number): Problem =>
  new Problem("BODY_TOO_LARGE", {
    message: `The body is larger than ${exactBytesText(bytesMax)}: send less at once.`,
  });

async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const chunks = await readBodyChunks(request, limits);
  return chunks.length === 1 ? chunks[0]! : concatBytes(chunks);
}

async function readBodyChunks(
  { headers, body }: Request,
  { bytesMax, reservation, timeoutMs = REQUEST_TIMEOUT_MS }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>[]> {
  refuseEncoded(headers.get("content-encoding"));
  const declared = Number(headers.get("content-length") ?? 0);
  if (declared > bytesMax) throw bodyTooLarge(bytesMax);
  if (body === null) return [];
  reservation.add(0, declared);
  try {
    return await readAllChunks(body, {
      bytesMax,
      totalMs: timeoutMs,
      onBytes: (bytes) => reservation.add(bytes),
    });
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error;
    if (error.failure === "too long") throw bodyTooLarge(bytesMax);
    if (error.failure === "late") throw new Problem("REQUEST_TIMEOUT");
    throw new Problem("INVALID_JSON", { message: "The body was cut off.", cause: error });
  }
}
