import { MAIL_SUBJECT_LENGTH_MAX } from "@/lib/limits.ts";
import type { LoggedMail } from "@/lib/mail/log.ts";
import {
  deleteTemplate,
  setTemplate,
  type ShownTemplate,
  TEMPLATE_NAME,
  type TemplateInput,
  type TemplatePlace,
} from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { builtInTemplates, sampleVariables } from "@/lib/mail/templates.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { MailTemplateInput } from "@/openapi/schemas/mail.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { areaText, Ask, Field, Hint, hintId, Refusal } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, type MailPage, mailPathOf } from "./mail_page.ts";
import { MailShell } from "./mail_shell.tsx";
import { previewReply } from "./preview_frame.tsx";
import { templatePath, templatesOf } from "./templates.tsx";

type Context = PageContext<ProjectMember, "name" | "language">;
type Handler = PageHandler<ProjectMember, "name" | "language">;

/** The texts of a form; empty for none. */
interface TemplateContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Throws `MAIL_TEMPLATE_NOT_FOUND` for a path that no template can have. */
function placeOf(c: Context): TemplatePlace {
  const { name, language: typed } = c.req.valid("param");
  const language = canonicalLanguage(typed);
  if (language === null || !TEMPLATE_NAME.test(name)) throw new Problem("MAIL_TEMPLATE_NOT_FOUND");
  return { name, language };
}

const sameLines = (text: string | null): string => (text ?? "").replaceAll(/\r\n?/g, "\n");

const typedContent = (form: URLSearchParams): TemplateContent => ({
  subject: form.get("subject") ?? "",
  text: sameLines(form.get("text")),
  html: sameLines(form.get("html")),
});

/** Throws `INVALID_BODY`. */
const inputOf = ({ subject, text, html }: TemplateContent): TemplateInput =>
  parseInput(MailTemplateInput, {
    subject,
    ...(text !== "" && { text }),
    ...(html !== "" && { html }),
  });

/** Whether mails that Corbel sends have this name. */
const isKind = (name: string): name is LoggedMail["kind"] =>
  Object.hasOwn(texts().mail.kinds, name);

/** What there is: the project's own, or else Corbel's words. */
async function startOf(
  c: Context,
  { name, language }: TemplatePlace,
): Promise<{ readonly stored: ShownTemplate | null; readonly content: TemplateContent }> {
  const stored = (await templatesOf(c))
    .find((one) => one.name === name && one.language === language) ?? null;
  const builtIn = builtInTemplates(c.var.principal.project.siteUrl !== null)
    .find((one) => one.name === name);
  const { subject = "", text = "", html = null } = stored ?? builtIn ?? {};
  return { stored, content: { subject, text, html: html ?? "" } };
}

export const showTemplate: Handler = async (c) => {
  const place = placeOf(c);
  const { stored, content } = await startOf(c, place);
  return pageReply(await templatePage(c, { place, isOwn: stored !== null, content }));
};

export const saveTemplate: Handler = async (c) => {
  const place = placeOf(c);
  const content = typedContent(await c.var.body.form());
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    setTemplate(services, principal.project._id, { ...place, ...inputOf(content) })
  );
  const path = templatePath(mailPathOf(c), place.name, place.language);
  if (problem === null) return seeOther(`${path}?done=saved`);
  const { stored } = await startOf(c, place);
  const page = await templatePage(c, { place, isOwn: stored !== null, content, problem });
  return pageReply(page, { status: problem.status });
};

export const deleteTemplateByForm: Handler = async (c) => {
  const { services, principal } = c.var;
  await deleteTemplate(services, principal.project._id, placeOf(c));
  return seeOther(`${mailPathOf(c)}/templates?done=deleted`);
};

/** What is stored, in the frame beside the form. */
export const showPreview: Handler = async (c) => {
  const place = placeOf(c);
  const { content } = await startOf(c, place);
  return await previewReply(c.var.principal, place.name, () => inputOf(content));
};

/** What the form holds now, in the same frame. */
export const previewTyped: Handler = async (c) => {
  const content = typedContent(await c.var.body.form());
  return await previewReply(c.var.principal, placeOf(c).name, () => inputOf(content));
};

interface Shown {
  readonly place: TemplatePlace;
  readonly isOwn: boolean;
  readonly content: TemplateContent;
  readonly problem?: Problem | null;
}

async function templatePage(c: Context, shown: Shown) {
  const page = await loadMailPage(c);
  const { place: { name, language }, isOwn } = shown;
  const path = templatePath(page.path, name, language);
  const t = texts().mail.template;
  const kind = isKind(name) ? texts().mail.kinds[name] : name;
  return (
    <MailShell page={page} title={`${kind}, ${language}`} current={`${page.path}/templates`} wide>
      <h2>
        {kind} <span class="badge">{language}</span>{" "}
        <span class={isOwn ? "badge on" : "badge"}>{isOwn ? t.own : t.builtIn}</span>
      </h2>
      <div class="beside">
        <div>
          <TemplateForm path={path} page={page} {...shown} query={c.var.state.query} />
        </div>
        {shown.content.subject !== "" || page.canEdit
          ? (
            <iframe
              class="preview"
              name="preview"
              title={t.preview}
              sandbox=""
              src={shown.content.subject !== "" ? `${path}/preview` : undefined}
            >
            </iframe>
          )
          : null}
      </div>
      {page.canEdit && isOwn && (
        <Ask
          label={t.delete}
          loss={t.deleteLoss}
          action={`${path}/delete`}
          button={t.deleteNow}
        />
      )}
    </MailShell>
  );
}

/** What Corbel fills in; a template of the application's own is filled in by what it sends. */
const Variables = ({ name }: { name: string }) => {
  const t = texts().mail.template;
  return (
    <p class="muted">
      {isKind(name)
        ? t.filledIn(
          Object.keys(sampleVariables(name)).map((one) => (
            <>
              <code>{`{{${one}}}`}</code>
              {" "}
            </>
          )),
        )
        : t.filledInByServer()}
    </p>
  );
};

const TemplateForm = (
  { path, page: { canEdit }, place, content, problem = null, query }: Shown & {
    path: string;
    page: MailPage;
    query: string;
  },
) => {
  const at = (name: string) => problem?.faults.find(({ path }) => path === name)?.message ?? null;
  const t = texts().mail.template;
  const isTold = problem?.faults.every(({ path }) => path in content) ?? true;
  return (
    // The frame is filled by the browser itself: the form is not for scripts to send.
    <form method="post" action={path} hx-boost="false" data-preview>
      <DoneNote query={query} sentences={t.done} />
      <Refusal problem={isTold ? null : problem} />
      <fieldset disabled={!canEdit}>
        <Field
          label={t.subject}
          name="subject"
          value={content.subject}
          maxlength={MAIL_SUBJECT_LENGTH_MAX}
          required
        />
        <Fault message={at("subject")} />
        <label>
          {t.text}
          <textarea name="text" rows={10} aria-describedby={hintId("text")}>
            {areaText(`\n${content.text}`)}
          </textarea>
        </label>
        <Hint of="text">{t.textHint}</Hint>
        <Fault message={at("text")} />
        <label>
          {t.html}
          <textarea class="mono" name="html" rows={14} spellcheck={false}>
            {areaText(`\n${content.html}`)}
          </textarea>
        </label>
        <Fault message={at("html")} />
      </fieldset>
      <Variables name={place.name} />
      {canEdit && <FormButtons path={path} />}
    </form>
  );
};

const FormButtons = ({ path }: { path: string }) => {
  const t = texts().mail.template;
  return (
    <div class="acts">
      <button aria-keyshortcuts="Control+S Meta+S">{t.save}</button>
      <button class="quiet" formaction={`${path}/preview`} formtarget="preview" formnovalidate>
        {t.preview}
      </button>
    </div>
  );
};

const Fault = ({ message }: { message: string | null }) =>
  message === null ? null : <p class="note bad" role="alert">{message}</p>;
