import { MAIL_SUBJECT_LENGTH_MAX } from "@/lib/limits.ts";
import type { LoggedMail } from "@/lib/mail/log.ts";
import {
  deleteTemplate,
  setTemplate,
  TEMPLATE_NAME,
  type TemplateInfo,
  type TemplateInput,
  type TemplateKey,
} from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { builtInTemplates, sampleVariables } from "@/lib/mail/templates.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { MailTemplateInput } from "@/openapi/schemas/mail.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { areaHtml, ConfirmForm, Field, Hint, hintId, Refusal } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, type MailPage, mailPath } from "./mail_page.ts";
import { MailShell } from "./mail_shell.tsx";
import { previewReply } from "./preview_frame.tsx";
import { listAllTemplates, templatePath } from "./templates.tsx";

type Context = PageContext<ProjectMember, "name" | "language">;
type Handler = PageHandler<ProjectMember, "name" | "language">;

/** Texts of the form; empty if not set. */
interface TemplateContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Returns the template key of the path. Throws `MAIL_TEMPLATE_NOT_FOUND` for an invalid key. */
function requireKey(c: Context): TemplateKey {
  const { name, language: typed } = c.req.valid("param");
  const language = canonicalLanguage(typed);
  if (language === null || !TEMPLATE_NAME.test(name)) throw new Problem("MAIL_TEMPLATE_NOT_FOUND");
  return { name, language };
}

const normalizeLineEnds = (text: string | null): string => (text ?? "").replaceAll(/\r\n?/g, "\n");

const readContent = (form: URLSearchParams): TemplateContent => ({
  subject: form.get("subject") ?? "",
  text: normalizeLineEnds(form.get("text")),
  html: normalizeLineEnds(form.get("html")),
});

/** Converts texts into the operation's input. Throws `INVALID_BODY`. */
const toTemplateInput = ({ subject, text, html }: TemplateContent): TemplateInput =>
  parseInput(MailTemplateInput, {
    subject,
    ...(text !== "" && { text }),
    ...(html !== "" && { html }),
  });

const isKind = (name: string): name is LoggedMail["kind"] =>
  Object.hasOwn(texts().mail.kinds, name);

/** Loads the project's own template, or else the built-in one. */
async function loadContent(
  c: Context,
  { name, language }: TemplateKey,
): Promise<{ readonly stored: TemplateInfo | null; readonly content: TemplateContent }> {
  const stored = (await listAllTemplates(c))
    .find((one) => one.name === name && one.language === language) ?? null;
  const builtIn = builtInTemplates(c.var.principal.project.siteUrl !== null)
    .find((one) => one.name === name);
  const { subject = "", text = "", html = null } = stored ?? builtIn ?? {};
  return { stored, content: { subject, text, html: html ?? "" } };
}

export const showTemplate: Handler = async (c) => {
  const place = requireKey(c);
  const { stored, content } = await loadContent(c, place);
  return pageReply(await templatePage(c, { place, isOwn: stored !== null, content }));
};

export const saveTemplate: Handler = async (c) => {
  const place = requireKey(c);
  const content = readContent(await c.var.body.form());
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    setTemplate(services, principal.project._id, { ...place, ...toTemplateInput(content) })
  );
  const path = templatePath(mailPath(c), place.name, place.language);
  if (problem === null) return seeOther(`${path}?done=saved`);
  const { stored } = await loadContent(c, place);
  const page = await templatePage(c, { place, isOwn: stored !== null, content, problem });
  return pageReply(page, { status: problem.status });
};

export const deleteTemplateByForm: Handler = async (c) => {
  const { services, principal } = c.var;
  await deleteTemplate(services, principal.project._id, requireKey(c));
  return seeOther(`${mailPath(c)}/templates?done=deleted`);
};

export const showPreview: Handler = async (c) => {
  const place = requireKey(c);
  const { content } = await loadContent(c, place);
  return await previewReply(c.var.principal, place.name, () => toTemplateInput(content));
};

export const previewForm: Handler = async (c) => {
  const content = readContent(await c.var.body.form());
  return await previewReply(c.var.principal, requireKey(c).name, () => toTemplateInput(content));
};

interface TemplatePageState {
  readonly place: TemplateKey;
  readonly isOwn: boolean;
  readonly content: TemplateContent;
  readonly problem?: Problem | null;
}

async function templatePage(c: Context, shown: TemplatePageState) {
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
        <ConfirmForm
          label={t.delete}
          loss={t.deleteLoss}
          action={`${path}/delete`}
          button={t.deleteNow}
        />
      )}
    </MailShell>
  );
}

/** Variables that Corbel fills in. The application sends those of its own templates. */
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
  { path, page: { canEdit }, place, content, problem = null, query }: TemplatePageState & {
    path: string;
    page: MailPage;
    query: string;
  },
) => {
  const at = (name: string) => problem?.faults.find(({ path }) => path === name)?.message ?? null;
  const t = texts().mail.template;
  const areFaultsShown = problem?.faults.every(({ path }) => path in content) ?? true;
  return (
    // Not boosted by htmx, so that the browser can send the form to the frame.
    <form method="post" action={path} hx-boost="false" data-preview>
      <DoneNote query={query} sentences={t.done} />
      <Refusal problem={areFaultsShown ? null : problem} />
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
            {areaHtml(`\n${content.text}`)}
          </textarea>
        </label>
        <Hint of="text">{t.textHint}</Hint>
        <Fault message={at("text")} />
        <label>
          {t.html}
          <textarea class="mono" name="html" rows={14} spellcheck={false}>
            {areaHtml(`\n${content.html}`)}
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
