/** What a browser may do with a file of somebody whom the host's owner need not trust. */
export interface ServedType {
  readonly contentType: string;
  /** Whether it is code in a document of its own, which a browser must not open on our host. */
  readonly isDocument: boolean;
}

/** What a text must be to be sent: browsers take what stands behind a comma for another type. */
const TYPE = /^([!#$%&'*+.^`|~\w-]+)\/([!#$%&'*+.^`|~\w-]+)\s*(?:;[\t\x20-\x2b\x2d-\x7e]*)?$/;

const OPAQUE = "application/octet-stream";

/** Every name that browsers run as a script, or apply as a style, under `nosniff` too. */
const CODE =
  /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript)|text\/css|application\/wasm)$/;

/** Parts of a subtype that a browser opens as HTML or XML. */
const MARKUP = ["html", "xhtml", "xml", "svg", "xsl", "xslt"];

/**
 * How a file is served. Code of a page is sent without its type, because an attachment header does
 * not keep it out of a `<script>`; so is a type that is none, and `multipart`, whose parts have
 * types of their own.
 */
export function servedType(contentType: string): ServedType {
  const [, type = "", subtype = ""] = TYPE.exec(contentType.trim().toLowerCase()) ?? [];
  const essence = `${type}/${subtype}`;
  if (type === "" || type === "multipart" || CODE.test(essence)) {
    return { contentType: OPAQUE, isDocument: false };
  }
  const isDocument = subtype.split(/[.+-]/).some((part) => MARKUP.includes(part));
  return { contentType, isDocument };
}
