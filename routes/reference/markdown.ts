import { raw } from "hono/html";
import { Marked, type Tokens } from "marked";
import { escapeHtml } from "@/lib/text/html.ts";
import { guides } from "@/openapi/introduction.ts";

/** Returns the anchor by which links in guides refer to a heading. */
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

const SERVED = new Set(guides().map(({ name }) => name));
const GUIDE_LINK = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/;
const PICTURE = /^dashboard\/([\w-]+\.png)$/;

/** Returns the served address of a guide's link, or null if only the repository has the target. */
function servedPath(href: string): string | null {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [, name, anchor = ""] = GUIDE_LINK.exec(href) ?? [];
  if (name === "errors") return `/docs/errors${anchor}`;
  return name !== undefined && SERVED.has(name) ? `/docs/guides/${name}${anchor}` : null;
}

/** Renderer of Corbel's own Markdown, which escapes HTML and removes comments. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => text.startsWith("<!--") ? "" : escapeHtml(text),
    heading({ tokens, depth, text }: Tokens.Heading) {
      const id = escapeHtml(anchorOf(text));
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const [words, target] = [this.parser.parseInline(tokens), servedPath(href)];
      return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
    },
    image({ href, text }: Tokens.Image) {
      const [, file] = PICTURE.exec(href) ?? [];
      return file === undefined
        ? escapeHtml(text)
        : `<img src="/docs/pictures/${file}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    // Wide code scrolls in a focusable element, so that the keyboard can scroll it.
    code: ({ text }: Tokens.Code) =>
      `<pre tabindex="0" role="group" aria-label="Example"><code>${
        escapeHtml(text)
      }</code></pre>\n`,
    table(token: Tokens.Table) {
      const cell = ({ tokens, text }: Tokens.TableCell, kind: string) => {
        // An empty corner cell is not a header.
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

export const markdown = (text: string) => raw(marked.parse(text, { async: false }));

export const inlineMarkdown = (text: string) => raw(marked.parseInline(text, { async: false }));
