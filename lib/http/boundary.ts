import { getMultipartBoundary } from "@remix-run/multipart-parser";

/**
 * No browser's is longer than 57. The parser compares up to the whole of it at every byte of a form
 * made for that; RFC 2046 would allow 70.
 */
const BOUNDARY_LENGTH_MAX = 60;

/** What stands between the parts of a form with a file; null where it is no such form. */
export function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return null;
  const boundary = getMultipartBoundary(contentType);
  return boundary !== null && boundary.length <= BOUNDARY_LENGTH_MAX ? boundary : null;
}
