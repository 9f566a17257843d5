import { raw } from "hono/html";
import { Marked, type Tokens } from "marked";
import { escapeHtml } from "@/lib/text/html.ts";
import { guides } from "@/openapi/introduction.ts";

/** As links of the guides name headings. */
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

const SERVED = new Set(guides().map(({ name }) => name));
const GUIDE_LINK = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/;
const PICTURE = /^dashboard\/([\w-]+\.png)$/;

/** Where a link of a guide leads here; null for what is in the repository alone. */
function served(href: string): string | null {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [, name, anchor = ""] = GUIDE_LINK.exec(href) ?? [];
  if (name === "errors") return `/docs/errors${anchor}`;
  return name !== undefined && SERVED.has(name) ? `/docs/guides/${name}${anchor}` : null;
}

/** Our own text, in which HTML is text like any other and comments are for editors. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => text.startsWith("<!--") ? "" : escapeHtml(text),
    heading({ tokens, depth, text }: Tokens.Heading) {
      const id = escapeHtml(anchorOf(text));
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const [words, target] = [this.parser.parseInline(tokens), served(href)];
      return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
    },
    image({ href, text }: Tokens.Image) {
      const [, file] = PICTURE.exec(href) ?? [];
      return file === undefined
        ? escapeHtml(text)
        : `<img src="/docs/pictures/${file}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    // What is wider than the page scrolls in a place of its own, by keyboard too.
    code: ({ text }: Tokens.Code) =>
      `<pre tabindex="0" role="group" aria-label="Example"><code>${
        escapeHtml(text)
      }</code></pre>\n`,
    table(token: Tokens.Table) {
      const cell = ({ tokens, text }: Tokens.TableCell, kind: string) => {
        // An empty corner heads nothing.
        const tag = text === "" ? "td" : kind;
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
      };
      const row = (cells: readonly Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((one) => cell(one, tag)).join("")}</tr>`;
      return '<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>' +
        `${row(token.header, "th")}</thead><tbody>${
          token.rows.map((cells) => row(cells, "td")).join("")
        }</tbody></table></div>\n`;
    },
  },
});

/** Text with paragraphs, lists and tables as HTML. */
export const markdown = (text: string) => raw(marked.parse(text, { async: false }));

/** Text of one line as HTML. */
export const inlineMarkdown = (text: string) => raw(marked.parseInline(text, { async: false }));
