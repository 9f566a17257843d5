import { MAIL_TEMPLATES_MAX } from "@/lib/limits.ts";
import { listTemplates, TEMPLATE_NAME, type TemplateInfo } from "@/lib/mail/template_store.ts";
import { canonicalLanguage } from "@/lib/text/languages.ts";
import { PROJECT_MAIL_KINDS } from "@/lib/mail/mails.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadMailPage, type MailPage, mailPath } from "./mail_page.ts";
import { MailShell } from "./mail_shell.tsx";

/** Returns all templates of a project, whose number is limited to one page. */
export async function listAllTemplates(
  c: PageContext<ProjectMember>,
): Promise<readonly TemplateInfo[]> {
  const { services, principal } = c.var;
  const request = { limit: MAIL_TEMPLATES_MAX };
  return (await listTemplates(services, principal.project._id, request)).items;
}

export const templatePath = (path: string, name: string, language: string): string =>
  `${path}/templates/${encodeURIComponent(name)}/${encodeURIComponent(language)}`;

export const showTemplates: PageHandler<ProjectMember> = async (c) =>
  pageReply(await templatesPage(c));

/** Redirects to the editor of the template that the form names, which may not exist yet. */
export const openTemplate: PageHandler<ProjectMember> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const name = (query.get("name") ?? "").trim();
  const typed = (query.get("language") ?? "").trim();
  const language = canonicalLanguage(typed);
  if (TEMPLATE_NAME.test(name) && language !== null) {
    return seeOther(templatePath(mailPath(c), name, language));
  }
  const t = texts().mail.templates.create;
  const problem = new Problem("INVALID_QUERY", {
    message: language === null ? t.badLanguage : t.badName,
  });
  const page = await templatesPage(c, { name, language: typed, problem });
  return pageReply(page, { status: problem.status });
};

interface RefusedName {
  readonly name: string;
  readonly language: string;
  readonly problem: Problem;
}

async function templatesPage(c: PageContext<ProjectMember>, typed: RefusedName | null = null) {
  const [page, templates] = await Promise.all([loadMailPage(c), listAllTemplates(c)]);
  const named = [...new Set(templates.map(({ name }) => name))]
    .filter((name) => !PROJECT_MAIL_KINDS.some((kind) => kind === name)).toSorted();
  const { kinds, templates: t } = texts().mail;
  return (
    <MailShell page={page} title={t.title} current={`${page.path}/templates`}>
      <DoneNote query={c.var.state.query} sentences={t.done} />
      <p class="muted">{t.about}</p>
      <article class="card">
        <h2>{t.ofCorbel}</h2>
        <ul class="rows">
          {PROJECT_MAIL_KINDS.map((name) => (
            <TemplateRow name={name} label={kinds[name]} templates={templates} page={page} />
          ))}
        </ul>
      </article>
      <article class="card">
        <h2>{t.ofApplication}</h2>
        <p>{t.named()}</p>
        {named.length === 0 ? <p class="empty">{t.none}</p> : (
          <ul class="rows">
            {named.map((name) => (
              <TemplateRow name={name} label={name} templates={templates} page={page} />
            ))}
          </ul>
        )}
      </article>
      {page.canEdit && <OpenCard path={page.path} typed={typed} />}
    </MailShell>
  );
}

const TemplateRow = (
  { name, label, templates, page: { path } }: {
    name: string;
    label: string;
    templates: readonly TemplateInfo[];
    page: MailPage;
  },
) => {
  const t = texts().mail.templates;
  const own = templates.filter((one) => one.name === name);
  const languages = own.map(({ language }) => language).toSorted();
  return (
    <li>
      <span class="grow">
        <b>{label}</b>
        {label !== name && <small class="mono">{name}</small>}
      </span>
      {languages.length === 0 && (
        <a href={templatePath(path, name, "en")} aria-label={t.builtInOf(label)}>
          {t.builtIn}
        </a>
      )}
      {languages.map((language) => (
        <a href={templatePath(path, name, language)} aria-label={`${label}, ${language}`}>
          {language}
        </a>
      ))}
    </li>
  );
};

const OpenCard = ({ path, typed }: { path: string; typed: RefusedName | null }) => {
  const t = texts().mail.templates.create;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <form action={`${path}/templates/new`}>
        <Refusal problem={typed?.problem ?? null} />
        <Field
          label={t.name}
          name="name"
          value={typed?.name ?? ""}
          hint={t.nameHint}
          autocomplete="off"
          required
        />
        <Field label={t.language} name="language" value={typed?.language ?? "en"} required />
        <button>{t.write}</button>
      </form>
    </article>
  );
};
