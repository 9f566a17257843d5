import type { Id } from "../store/port.ts";
import type { Place } from "./blobs.ts";
import { STORED_FILENAME_LENGTH_MAX } from "../limits.ts";

const NAME = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_" +
  `[A-Za-z0-9._-]{1,${STORED_FILENAME_LENGTH_MAX}}`;

/** `<uuid>_<sanitized_filename>` */
export const NAME_PATTERN = `^${NAME}$`;

/** `<project_id>/<uuid>_<sanitized_filename>` */
const PATH = new RegExp(`^([0-9a-f]{24})/${NAME}$`);

/** What somebody reads of a path: the name of its file; null for a text that is no path of ours. */
export const nameIn = (path: string): string | null =>
  PATH.test(path) ? path.slice(UUID_AT + UUID_LENGTH + 1) : null;

/** The project whose path it is; null for a text that is no path of ours. */
export const projectOf = (path: string): Id | null => PATH.exec(path)?.[1] ?? null;

/** The path that the address of a file ends with; a text that is no address as it is. */
export const pathIn = (text: string): string =>
  URL.parse(text)?.pathname.split("/").slice(-2).join("/") ?? text;

/** Of a file, from the moment that its bytes have arrived: they never change. */
export const fileEtag = (path: string): string => `"${uuidOf(path)}"`;

/** What an upload in pieces grows at: there is one of it. */
export const piecesPath = (path: string): string => `${path}.resumable_upload`;

export const isPiecesPath = (path: string): boolean => path === piecesPath(uploadOf(path));

/** The path of the upload that a partial or derived object belongs to: all but its own suffix. */
export const uploadOf = (path: string): string => path.replace(/\.[\w-]*$/, "");

const PARTIAL = /\.[A-Za-z0-9_-]{16}$/;
const DERIVED = /\.[a-z0-9-]{1,40}$/;

/** What was made of a file in one way. */
export const derivedPath = (path: string, variant: string): string => `${path}.${variant}`;

/** Whether an object of this path may lie in a place. */
export function isPathOf(place: Place, path: string): boolean {
  if (place !== "partial" && place !== "derived") return projectOf(path) !== null;
  const suffix = place === "partial" ? PARTIAL : DERIVED;
  return suffix.test(path) && projectOf(uploadOf(path)) !== null;
}

/** What no other path of ours has in common with this one. */
const uuidOf = (path: string): string => path.slice(UUID_AT, UUID_AT + UUID_LENGTH);

const UUID_AT = 25;
const UUID_LENGTH = 36;

/** A path that no other upload has. @param uuid A fresh random one. */
export const newPath = (projectId: Id, uuid: string, filename: string): string =>
  `${projectId}/${uuid}_${sanitized(filename)}`;

/** Every other character becomes `_`; of a long name the end is kept, which tells its kind. */
const sanitized = (filename: string): string =>
  filename.replaceAll(/[^A-Za-z0-9._-]/gu, "_").slice(-STORED_FILENAME_LENGTH_MAX);
