import { BODY_MEMBERS_MAX, BODY_VALUES_MAX, REQUEST_TIMEOUT_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { jsonRefusal } from "../store/exact_json.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { exactBytesText } from "../text/amounts.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import type { HeldBytes } from "./byte_budget.ts";
import { joined, readChunksOf, ReadFailed } from "./bounded_reader.ts";
import { refuseLargeForm } from "./form_size.ts";

/** How a body is read: as much of it as is allowed, counted towards what the process holds. */
export interface BodyLimits {
  readonly bytesMax: number;
  readonly held: HeldBytes;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number;
}

/**
 * Reads a JSON body of at most `bytesMax`. Bytes are counted as they arrive, so nothing larger is
 * ever held. Throws `UNSUPPORTED_MEDIA_TYPE`, `BODY_TOO_LARGE`, `REQUEST_TIMEOUT`, `INVALID_JSON`
 * and `SERVER_BUSY`.
 */
export async function readJson(request: Request, limits: BodyLimits): Promise<Json> {
  if (!isJson(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) {
    throw new Problem("INVALID_JSON", { message: "The body is empty: send a JSON value." });
  }
  return jsonOf(bytes);
}

/** As {@linkcode readJson}, for a body that may be left out: undefined then, of whatever type. */
export async function readJsonIfAny(
  request: Request,
  limits: BodyLimits,
): Promise<Json | undefined> {
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  if (!isJson(request.headers.get("content-type"))) throw new Problem("UNSUPPORTED_MEDIA_TYPE");
  return jsonOf(bytes);
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

/**
 * Reads the fields of a form, of at most so many bytes and fields. Throws `UNSUPPORTED_MEDIA_TYPE`,
 * `BODY_TOO_LARGE` and `REQUEST_TIMEOUT`.
 */
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

function jsonOf(bytes: Uint8Array): Json {
  refuseManyParts(bytes);
  const text = textOf(bytes);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new Problem("INVALID_JSON", { message: `The body ${jsonRefusal(cause, text)}.`, cause });
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    const message = `The body is not valid JSON: it ${(cause as Error).message}.`;
    throw new Problem("INVALID_JSON", { message, cause });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
/** An object or a list takes as much memory as so many values, also an empty one; its first value is among them. */
const VALUES_EACH = 5;

/**
 * Counts the members and values of a JSON text before anything is made of it: they cost more than
 * their bytes. Throws `BODY_TOO_LARGE`.
 */
function refuseManyParts(bytes: Uint8Array): void {
  // Of what a byte begins at most.
  if (bytes.length < Math.min(BODY_MEMBERS_MAX, BODY_VALUES_MAX / VALUES_EACH)) return;
  let [members, values, inString] = [0, 0, false];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) i++;
    else if (inString) continue;
    else if (byte === COMMA) values++;
    else if (byte === COLON) members++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) values += VALUES_EACH;
  }
  if (members <= BODY_MEMBERS_MAX && values <= BODY_VALUES_MAX) return;
  throw new Problem("BODY_TOO_LARGE", {
    message: `The body has more than ${BODY_MEMBERS_MAX} members or ${BODY_VALUES_MAX} values in ` +
      "all: send it in parts.",
  });
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset=["']?utf-8["']?\s*)?;?$/i;

/** Whether a `Content-Type` names JSON. */
export const isJson = (type: string | null): boolean =>
  type !== null && JSON_TYPE.test(type.trim());

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

/** A packed body would be taken for another one. Throws `UNSUPPORTED_MEDIA_TYPE`. */
export function refuseEncoded(contentEncoding: string | null): void {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  throw new Problem("UNSUPPORTED_MEDIA_TYPE", {
    message: "The body has a Content-Encoding: send it as it is, without packing it.",
  });
}

const tooLarge = (bytesMax: number): Problem =>
  new Problem("BODY_TOO_LARGE", {
    message: `The body is larger than ${exactBytesText(bytesMax)}: send less at once.`,
  });

async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const chunks = await readBodyChunks(request, limits);
  return chunks.length === 1 ? chunks[0]! : joined(chunks);
}

async function readBodyChunks(
  { headers, body }: Request,
  { bytesMax, held, timeoutMs = REQUEST_TIMEOUT_MS }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>[]> {
  refuseEncoded(headers.get("content-encoding"));
  const declared = Number(headers.get("content-length") ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  if (body === null) return [];
  held.add(0, declared);
  try {
    return await readChunksOf(body, {
      bytesMax,
      wholeMs: timeoutMs,
      onBytes: (bytes) => held.add(bytes),
    });
  } catch (error) {
    if (!(error instanceof ReadFailed)) throw error;
    if (error.failure === "too long") throw tooLarge(bytesMax);
    if (error.failure === "late") throw new Problem("REQUEST_TIMEOUT");
    throw new Problem("INVALID_JSON", { message: "The body was cut off.", cause: error });
  }
}
