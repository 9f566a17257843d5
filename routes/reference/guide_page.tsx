import type { Guide } from "@/openapi/introduction.ts";
import { Frame } from "./frame.tsx";
import { markdown } from "./markdown.ts";

/** The page of a guide. @param text Markdown of the guide's file in docs/. */
export const GuidePage = ({ guide: { name, title }, text }: { guide: Guide; text: string }) => (
  <Frame title={title} current={`/docs/guides/${name}`}>
    <p class="trail">
      <a href="/docs">Reference</a> / <a href="/docs#guides">Guides</a>
    </p>
    <article class="guide">{markdown(text)}</article>
  </Frame>
);
