/** What a browser would show as a page, run or apply. */
const ACTIVE = new RegExp(
  [
    "text/(?:html|css|xml|xsl|(?:x-)?(?:java|ecma|live|j)script[\\d.]*)",
    "application/(?:wasm|xml(?:-.*)?|(?:x-)?(?:java|ecma)script)",
    // Any XML can be a page, as XHTML and SVG are, or name its own transformation.
    ".*\\+xml",
    // Parts of these may be pages.
    "multipart/.*|message/.*",
    // For these browsers look at the bytes, and take them for a page.
    "unknown/unknown|application/unknown|\\*/\\*",
  ].map((part) => `^(?:${part})$`).join("|"),
);

/** Whether files of this type must not be shown or run at the address that serves them. */
export function isActive(contentType: string): boolean {
  const essence = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return ACTIVE.test(essence);
}
