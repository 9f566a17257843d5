import { raw } from "hono/html";
import { messageOf, type Reply } from "@/lib/http/respond.ts";
import { previewMail } from "@/lib/mail/preview.ts";
import type { TemplateInput } from "@/lib/mail/template_store.ts";
import type { RenderedMail } from "@/lib/mail/templates.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { attempt, framedReply } from "../replies.ts";
import { language } from "../texts/language.ts";
import { texts } from "../texts/mod.ts";

/** The frame has no style of ours: its pages are another site's to the browser. */
const STYLE = `:root { color-scheme: light dark }
body { margin: 12px; font: 14px/1.45 system-ui, sans-serif }
h1 { margin: 0 0 12px; font-size: 15px }
h2 { margin: 12px 0 4px; font-size: 13px; font-weight: 600 }
iframe { width: 100%; height: 360px; border: 1px solid #8884 }
pre { margin: 0; padding: 8px; border: 1px solid #8884; white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: 13px }`;

/** A template as it would be sent, or why it cannot be, for the frame beside its form. */
export async function previewReply(
  { project }: Pick<ProjectMember, "project">,
  name: string,
  template: () => TemplateInput,
): Promise<Reply> {
  const tried = await attempt(() =>
    Promise.resolve(previewMail(project, { name, template: template() }))
  );
  return tried.problem === null
    ? framedReply(documentOf(<Rendered mail={tried.value} />))
    : framedReply(documentOf(<Refused problem={tried.problem} />), tried.problem.status);
}

const documentOf = (content: unknown): string =>
  `<!DOCTYPE html>${(
    <html lang={language()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{texts().mail.preview.title}</title>
        <style>{raw(STYLE)}</style>
      </head>
      <body>{content}</body>
    </html>
  )}`;

const Rendered = ({ mail: { subject, text, html } }: { mail: RenderedMail }) => {
  const t = texts().mail.preview;
  return (
    <main>
      <h1>{subject}</h1>
      {html !== null && <iframe sandbox="" title={t.html} srcdoc={html}></iframe>}
      <h2>{html === null ? t.text : t.asText}</h2>
      <pre tabindex={0}>{text}</pre>
    </main>
  );
};

const Refused = ({ problem }: { problem: Problem }) => (
  <main>
    <h1>{texts().mail.preview.none}</h1>
    <p>{messageOf(problem)}</p>
  </main>
);
