import type { Id } from "../store/port.ts";
import type { BlobPlace } from "./blobs.ts";
import { STORED_FILENAME_LENGTH_MAX } from "../limits.ts";

const NAME = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_" +
  `[A-Za-z0-9._-]{1,${STORED_FILENAME_LENGTH_MAX}}`;

/** `<uuid>_<sanitized_filename>` */
export const NAME_PATTERN = `^${NAME}$`;

/** `<project_id>/<uuid>_<sanitized_filename>` */
const PATH = new RegExp(`^([0-9a-f]{24})/${NAME}$`);

/** Returns the file name in a path, or null if the text is not an upload path. */
export const filenameIn = (path: string): string | null =>
  PATH.test(path) ? path.slice(UUID_AT + UUID_LENGTH + 1) : null;

/** Returns the project id in a path, or null if the text is not an upload path. */
export const projectIdOf = (path: string): Id | null => PATH.exec(path)?.[1] ?? null;

/** Returns the path at the end of a file's URL. A text that is not a URL is returned unchanged. */
export const pathFromUrl = (text: string): string =>
  URL.parse(text)?.pathname.split("/").slice(-2).join("/") ?? text;

/** Returns the ETag of a file. It is constant, because the bytes at a path never change. */
export const fileEtag = (path: string): string => `"${uuidOf(path)}"`;

/** Returns the path of the one partial object that a resumable upload has. */
export const piecesPath = (path: string): string => `${path}.resumable_upload`;

export const isPiecesPath = (path: string): boolean => path === piecesPath(uploadOf(path));

/** Returns the path of the upload that a partial or derived object belongs to. */
export const uploadOf = (path: string): string => path.replace(/\.[\w-]*$/, "");

const PARTIAL = /\.[A-Za-z0-9_-]{16}$/;
const DERIVED = /\.[a-z0-9-]{1,40}$/;

/** Returns the path of a derived object, such as one size of a picture. */
export const derivedPath = (path: string, variant: string): string => `${path}.${variant}`;

/** Whether the path has the form that objects of the place have. */
export function isPathOf(place: BlobPlace, path: string): boolean {
  if (place !== "partial" && place !== "derived") return projectIdOf(path) !== null;
  const suffix = place === "partial" ? PARTIAL : DERIVED;
  return suffix.test(path) && projectIdOf(uploadOf(path)) !== null;
}

/** Number of characters before the UUID in an upload path. */
const UUID_AT = 25;
const UUID_LENGTH = 36;

const uuidOf = (path: string): string => path.slice(UUID_AT, UUID_AT + UUID_LENGTH);

/** Returns the path of a new upload. @param uuid A new random UUID. */
export const newPath = (projectId: Id, uuid: string, filename: string): string =>
  `${projectId}/${uuid}_${sanitizeFilename(filename)}`;

/** Replaces special characters with `_` and keeps the end of a long name, with its extension. */
const sanitizeFilename = (filename: string): string =>
  filename.replaceAll(/[^A-Za-z0-9._-]/gu, "_").slice(-STORED_FILENAME_LENGTH_MAX);
