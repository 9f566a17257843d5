const PIECES = /<[^<>]*>|[^<]+|</g;

/** Elements that begin a new paragraph. */
const BLOCKS = /^(?:p|div|h[1-6]|ul|ol|table|section|article|header|footer|blockquote|pre)$/;
/** Elements that begin a new line. */
const LINES = /^(?:br|li|tr)$/;
/** Elements whose content is not text. */
const IGNORED = /^(?:style|script|head|title)$/;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  apos: "'",
  nbsp: " ",
};

/** Converts HTML to text with a line for each block and URLs of links, in linear time. */
export function htmlToText(html: string): string {
  let text = "";
  let unread: string | null = null;
  let link: { readonly href: string; readonly at: number } | null = null;
  for (const [piece] of withoutComments(html).matchAll(PIECES)) {
    const [, close = "", tag = ""] = /^<(\/?)([A-Za-z][A-Za-z0-9]*)/.exec(piece) ?? [];
    const name = tag.toLowerCase();
    if (unread !== null) {
      if (close !== "" && name === unread) unread = null;
    } else if (name === "") {
      if (!/^<[!?]/.test(piece)) text += textOfPiece(piece);
    } else if (IGNORED.test(name)) {
      if (close === "") unread = name;
    } else if (name === "a") {
      if (link !== null) text += linkSuffix(text.slice(link.at), link.href);
      link = close === "" ? { href: hrefOf(piece), at: text.length } : null;
    } else if (BLOCKS.test(name)) text += "\n\n";
    else if (LINES.test(name)) text += close === "" ? "\n" : "";
  }
  return tidyLines(text);
}

function withoutComments(html: string): string {
  let [text, at] = ["", 0];
  for (;;) {
    const begin = html.indexOf("<!--", at);
    if (begin < 0) return text + html.slice(at);
    text += html.slice(at, begin);
    const end = html.indexOf("-->", begin);
    if (end < 0) return text;
    at = end + "-->".length;
  }
}

/** Returns the text between two tags. Line breaks become spaces. */
const textOfPiece = (piece: string): string =>
  piece.replaceAll(/\s+/g, " ")
    .replaceAll(/&(\w{2,4}|#39);/g, (entity, name) => ENTITIES[name] ?? entity);

const hrefOf = (tag: string): string =>
  textOfPiece(/\shref\s?=\s?(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean) ?? "")
    .trim();

const linkSuffix = (label: string, href: string): string =>
  href === "" || label.includes(href) ? "" : ` (${href})`;

function tidyLines(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim())) {
    if (line !== "" || (lines.at(-1) ?? "") !== "") lines.push(line);
  }
  return `${lines.join("\n").trim()}\n`;
}
