import { getMultipartBoundary } from "@remix-run/multipart-parser";

/** Browsers send 57 characters. Crafted forms make the parser compare all of it at every byte. */
const BOUNDARY_LENGTH_MAX = 60;

/** Returns the boundary of a `multipart/form-data` content type; null for other types. */
export function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return null;
  const boundary = getMultipartBoundary(contentType);
  return boundary !== null && boundary.length <= BOUNDARY_LENGTH_MAX ? boundary : null;
}
