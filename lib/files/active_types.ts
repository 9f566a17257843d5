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

/** What can be nothing but looked at, listened to and read. */
const PASSIVE = whole(
  "image/(?:apng|avif|bmp|gif|hei[cf]|jpe?g|jxl|png|tiff|webp|x-icon|vnd\\.microsoft\\.icon)",
  "(?:audio|font|video)/.*",
  "text/(?:csv|plain)",
  "application/json",
);

/** Null for what does neither. What is no content type could be taken for anything. */
export function dangerOf(contentType: string): Danger | null {
  const essence = essenceOf(contentType);
  if (essence === undefined || RUNS.test(essence)) return "runs";
  return OPENS.test(essence) ? "opens" : null;
}

/**
 * Whether a browser may show files of this type in a window of their own. At a host of their own
 * these are all that do no harm; at the dashboard's only those that are known to do none: a PDF, and
 * whatever browsers and their extensions come to run, is kept as a file there.
 */
export const isShown = (contentType: string, sharesHost: boolean): boolean =>
  dangerOf(contentType) === null && (!sharesHost || PASSIVE.test(essenceOf(contentType)!));

/**
 * Returns the `Content-Type` that a file is served with. Parameters with a comma in them, such as
 * `codecs=vp8,opus`, are left out: some browsers take what follows a comma for another type.
 */
export function servedTypeOf(contentType: string): string {
  const [essence = "", ...parameters] = contentType.split(";");
  return parameters.some((one) => one.includes(",")) ? essence.trimEnd() : contentType;
}

const essenceOf = (contentType: string): string | undefined =>
  MEDIA_TYPE.exec(contentType.trim().toLowerCase())?.[1];

function whole(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.map((pattern) => `^(?:${pattern})$`).join("|"));
}
