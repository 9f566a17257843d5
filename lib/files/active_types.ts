/** `runs`: a page can load it as a script or style. `opens`: a browser opens it as a page. */
export type Danger = "runs" | "opens";

const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";

/** Matches a content type in lower case whose parameters have no comma; see `servedTypeOf`. */
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN}) *(?:;[\\x20-\\x2b\\x2d-\\x7e]*)?$`);

const RUNS = anyOf(
  "text/css",
  "text/(?:x-)?(?:java|ecma|live|j)script[\\d.]*",
  "application/wasm",
  "application/(?:x-)?(?:java|ecma)script",
  // Parts of these types may be pages.
  "multipart/.*|message/.*",
  // For these types browsers inspect the bytes, which can look like a page.
  "unknown/unknown|application/unknown|\\*/\\*",
);

const OPENS = anyOf(
  "text/html",
  // Any XML can be a page, such as XHTML and SVG, or name its own XSLT stylesheet.
  "(?:text|application)/(?:xml|xsl)(?:-.*)?",
  ".*\\+xml",
);

/** Types that browsers only display or play. */
const PASSIVE = anyOf(
  "image/(?:apng|avif|bmp|gif|hei[cf]|jpe?g|jxl|png|tiff|webp|x-icon|vnd\\.microsoft\\.icon)",
  "(?:audio|font|video)/.*",
  "text/(?:csv|plain)",
  "application/json",
);

/** Returns the harm of a type, or null. Browsers may take an invalid type for any: `runs`. */
export function dangerOf(contentType: string): Danger | null {
  const essence = essenceOf(contentType);
  if (essence === undefined || RUNS.test(essence)) return "runs";
  return OPENS.test(essence) ? "opens" : null;
}

/** Whether the type is shown inline. On the dashboard's host, only types known as harmless are. */
export const isShownInline = (contentType: string, sharesHost: boolean): boolean =>
  dangerOf(contentType) === null && (!sharesHost || PASSIVE.test(essenceOf(contentType)!));

/** Returns the type to serve, without parameters if they have commas, which browsers misread. */
export function servedTypeOf(contentType: string): string {
  const [essence = "", ...parameters] = contentType.split(";");
  return parameters.some((one) => one.includes(",")) ? essence.trimEnd() : contentType;
}

const essenceOf = (contentType: string): string | undefined =>
  MEDIA_TYPE.exec(contentType.trim().toLowerCase())?.[1];

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.map((pattern) => `^(?:${pattern})$`).join("|"));
}
