/**
 * What a browser would do with a file at the address that serves it: `runs` is what a page takes as
 * code or style, whatever header says that it is an attachment; `opens` is what it shows as a page
 * of its own.
 */
export type Danger = "runs" | "opens";

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";

/** In lower case. Of what has a comma behind its type browsers may take the rest for another. */
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN}) *(?:;[\\x20-\\x2b\\x2d-\\x7e]*)?$`);

const RUNS = whole(
  "text/css",
  "text/(?:x-)?(?:java|ecma|live|j)script[\\d.]*",
  "application/wasm",
  "application/(?:x-)?(?:java|ecma)script",
  // Parts of these may be pages.
  "multipart/.*|message/.*",
  // For these browsers look at the bytes, and take them for a page.
  "unknown/unknown|application/unknown|\\*/\\*",
);

const OPENS = whole(
  "text/html",
  // Any XML can be a page, as XHTML and SVG are, or name its own transformation.
  "(?:text|application)/(?:xml|xsl)(?:-.*)?",
  ".*\\+xml",
);

/** Null for what does neither. What is no content type could be taken for anything. */
export function dangerOf(contentType: string): Danger | null {
  const [, essence] = MEDIA_TYPE.exec(contentType.trim().toLowerCase()) ?? [];
  if (essence === undefined || RUNS.test(essence)) return "runs";
  return OPENS.test(essence) ? "opens" : null;
}

/** Whether files of this type must not be shown or run at the address that serves them. */
export const isActive = (contentType: string): boolean => dangerOf(contentType) !== null;

function whole(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.map((pattern) => `^(?:${pattern})$`).join("|"));
}
