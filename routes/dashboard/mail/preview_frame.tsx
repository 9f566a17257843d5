import { raw } from "hono/html";
import { publicMessage, type Reply } from "@/lib/http/respond.ts";
import { previewMail } from "@/lib/mail/preview.ts";
import type { TemplateInput } from "@/lib/mail/template_store.ts";
import type { RenderedMail } from "@/lib/mail/templates.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { attempt, framedReply } from "../replies.ts";
import { language } from "../texts/language.ts";
import { texts } from "../texts/mod.ts";

/** Styles of the frame, which cannot load the dashboard's because its origin is opaque. */
const STYLE = `:root { color-scheme: light dark }
body { margin: 12px; font: 14px/1.45 system-ui, sans-serif }
h1 { margin: 0 0 12px; font-size: 15px }
h2 { margin: 12px 0 4px; font-size: 13px; font-weight: 600 }
iframe { width: 100%; height: 360px; border: 1px solid #8884 }
pre { margin: 0; padding: 8px; border: 1px solid #8884; white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: 13px }`;

export async function previewReply(
  { project }: Pick<ProjectMember, "project">,
  name: string,
  template: () => TemplateInput,
): Promise<Reply> {
  const result = await attempt(() =>
    Promise.resolve(previewMail(project, { name, template: template() }))
  );
  return result.problem === null
    ? framedReply(previewHtml(<MailPreview mail={result.value} />))
    : framedReply(previewHtml(<PreviewProblem problem={result.problem} />), result.problem.status);
}

const previewHtml = (content: unknown): string =>
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

const MailPreview = ({ mail: { subject, text, html } }: { mail: RenderedMail }) => {
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

const PreviewProblem = ({ problem }: { problem: Problem }) => (
  <main>
    <h1>{texts().mail.preview.none}</h1>
    <p>{publicMessage(problem)}</p>
  </main>
);
