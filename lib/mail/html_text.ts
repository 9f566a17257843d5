const PIECES = /<[^<>]*>|[^<]+|</g;

/** What in HTML begins a line of its own, and an empty one before it. */
const BLOCKS = /^(?:p|div|h[1-6]|ul|ol|table|section|article|header|footer|blockquote|pre)$/;
const LINES = /^(?:br|li|tr)$/;
/** What is not read. */
const UNREAD = /^(?:style|script|head|title)$/;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  apos: "'",
  nbsp: " ",
};

/**
 * What a reader without HTML sees of a mail: texts, a line for each block, and where links lead.
 * Takes as long as the HTML is.
 */
export function textOfHtml(html: string): string {
  let text = "";
  let unread: string | null = null;
  let link: { readonly href: string; readonly at: number } | null = null;
  for (const [piece] of withoutComments(html).matchAll(PIECES)) {
    const [, close = "", tag = ""] = /^<(\/?)([A-Za-z][A-Za-z0-9]*)/.exec(piece) ?? [];
    const name = tag.toLowerCase();
    if (unread !== null) {
      if (close !== "" && name === unread) unread = null;
    } else if (name === "") {
      if (!/^<[!?]/.test(piece)) text += plain(piece);
    } else if (UNREAD.test(name)) {
      if (close === "") unread = name;
    } else if (name === "a") {
      if (link !== null) text += linkEnd(text.slice(link.at), link.href);
      link = close === "" ? { href: hrefOf(piece), at: text.length } : null;
    } else if (BLOCKS.test(name)) text += "\n\n";
    else if (LINES.test(name)) text += close === "" ? "\n" : "";
  }
  return tidied(text);
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

/** What stands between tags; its line breaks are spaces. */
const plain = (piece: string): string =>
  piece.replaceAll(/\s+/g, " ")
    .replaceAll(/&(\w{2,4}|#39);/g, (entity, name) => ENTITIES[name] ?? entity);

const hrefOf = (tag: string): string =>
  plain(/\shref\s?=\s?(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean) ?? "").trim();

const linkEnd = (label: string, href: string): string =>
  href === "" || label.includes(href) ? "" : ` (${href})`;

function tidied(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim())) {
    if (line !== "" || (lines.at(-1) ?? "") !== "") lines.push(line);
  }
  return `${lines.join("\n").trim()}\n`;
}
