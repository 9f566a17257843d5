import { getMultipartBoundary } from "@remix-run/multipart-parser";

/** As RFC 2046 has it: whoever looks for a longer one would look the longer at each byte. */
const BOUNDARY_LENGTH_MAX = 70;

/** What stands between the parts of a form with a file; null where it is no such form. */
export function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return null;
  const boundary = getMultipartBoundary(contentType);
  return boundary !== null && boundary.length <= BOUNDARY_LENGTH_MAX ? boundary : null;
}
