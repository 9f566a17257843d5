import { pathIn } from "./paths.ts";
import { asMembers, type Members } from "../documents/document.ts";
import { shown } from "../documents/names.ts";
import { CONTENT_TYPE_LENGTH_MAX, FILENAME_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { own } from "../store/shape.ts";
import type { ConfirmInput } from "./confirm_upload.ts";
import type { UploadInput } from "./request_upload.ts";

/** `type/subtype` and parameters, in characters that a header can carry. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

const refuse = (name: string, why: string) =>
  new Problem("INVALID_UPLOAD", { message: `${shown(name)} ${why}.` });

/** Throws `INVALID_BODY` and `INVALID_UPLOAD`. */
export function uploadInput(body: Json): UploadInput {
  const members = asMembers(body);
  return {
    filename: filenameOf(members),
    contentType: contentTypeOf(members),
    bytes: sizeOf(members),
  };
}

/** Throws `INVALID_BODY` and `INVALID_UPLOAD`. */
export function confirmInput(body: Json): ConfirmInput {
  const members = asMembers(body);
  return { path: textOf(members, "filePath"), bytes: sizeOf(members) };
}

/** Throws `INVALID_BODY`. */
export function deletedPath(body: Json): string {
  const path = own(asMembers(body), "path");
  if (typeof path === "string" && path !== "") return pathIn(path);
  throw new Problem("INVALID_BODY", {
    message: '"path" must be the path or the address of a file.',
  });
}

/** Throws `INVALID_QUERY`. */
export function queriedPath(query: string): string {
  const given = [...new URLSearchParams(query)];
  const path = given[0]?.[1];
  if (given.length === 1 && given[0]![0] === "path" && path) return path;
  throw new Problem("INVALID_QUERY", { message: 'Send "path", once, and nothing else.' });
}

function textOf(members: Members, name: string): string {
  const text = own(members, name);
  if (typeof text !== "string" || text === "") throw refuse(name, "must be text and not empty");
  return text;
}

function filenameOf(members: Members): string {
  const filename = textOf(members, "filename");
  if ([...filename].length > FILENAME_LENGTH_MAX) {
    throw refuse("filename", `must have at most ${FILENAME_LENGTH_MAX} characters`);
  }
  if (filename.includes("\0") || !filename.isWellFormed()) {
    throw refuse("filename", "must be well-formed text without NUL");
  }
  return filename;
}

function contentTypeOf(members: Members): string {
  const contentType = textOf(members, "contentType");
  if (contentType.length > CONTENT_TYPE_LENGTH_MAX || !MEDIA_TYPE.test(contentType)) {
    throw refuse(
      "contentType",
      `must be type/subtype, with parameters if need be, of at most ${CONTENT_TYPE_LENGTH_MAX} characters`,
    );
  }
  return contentType;
}

function sizeOf(members: Members): number {
  const size = own(members, "size");
  if (typeof size === "number" && Number.isInteger(size) && size >= 1) return size;
  throw refuse("size", "must be a whole number of bytes, 1 or more");
}
