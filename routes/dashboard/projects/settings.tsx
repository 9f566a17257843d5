import { PROJECT_NAME_LENGTH_MAX, PROJECT_TRASH_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { trashProject } from "@/lib/operations/project_trash.ts";
import { getProjectUsage } from "@/lib/operations/project_usage.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, CopyField, Field, Refusal } from "../components/forms.tsx";
import { parseSiteUrl, SiteUrlForm } from "../components/site_url_form.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { bytesText, countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { PROJECTS } from "./projects.tsx";

const TRASH_DAYS = PROJECT_TRASH_MS / 86_400_000;

interface RefusedSetting {
  readonly form: "rename" | "siteUrl" | "delete";
  readonly text: string;
  readonly problem: Problem;
}

export const showSettings: PageHandler<ProjectMember> = async (c) =>
  pageReply(await settingsPage(c));

/** Saves the name or the Site URL, whichever the form contains. */
export const changeSettings: PageHandler<ProjectMember> = async (c) => {
  const fields = await c.var.body.form();
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const form = fields.has("siteUrl") ? "siteUrl" : "rename";
  const text = fields.get(form === "siteUrl" ? "siteUrl" : "name") ?? "";
  const change = form === "siteUrl" ? { siteUrl: parseSiteUrl(text) } : { name: text };
  const { problem } = await attempt(() => changeProject(services, projectId, change));
  if (problem !== null) return await refusedReply(c, { form, text, problem });
  const done = form === "siteUrl" ? form : "renamed";
  return seeOther(`${homeOf(projectId)}/settings?done=${done}`);
};

export const deleteProject: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const name = (await c.var.body.form()).get("name") ?? "";
  const { problem } = await attempt(() => trashProject(services, principal, name));
  if (problem !== null) return await refusedReply(c, { form: "delete", text: name, problem });
  return seeOther(`${PROJECTS}?done=deleted`);
};

const refusedReply = async (c: PageContext<ProjectMember>, refused: RefusedSetting) =>
  pageReply(await settingsPage(c, refused), { status: refused.problem.status });

async function settingsPage(c: PageContext<ProjectMember>, refused?: RefusedSetting) {
  const { services, principal, state: { query } } = c.var;
  const [frame, usage] = await Promise.all([
    loadFrame(services, principal),
    getProjectUsage(services, principal),
  ]);
  const path = `${frame.home}/settings`;
  const refusedIn = (form: RefusedSetting["form"]) => refused?.form === form ? refused : null;
  const t = texts().projects.settings;
  return (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title}>
        <span class="badge on">{texts().shared.plan(usage.plan)}</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {roleIncludes(principal.role, "admin") && (
          <>
            <RenameCard path={path} name={frame.name} refused={refusedIn("rename")} />
            <article class="card">
              <h2>{t.siteUrl}</h2>
              <SiteUrlForm
                action={path}
                siteUrl={refusedIn("siteUrl")?.text ?? principal.project.siteUrl}
                problem={refusedIn("siteUrl")?.problem ?? null}
              />
            </article>
          </>
        )}
        <article class="card">
          <h2>{t.id.title}</h2>
          <p>{t.id.about}</p>
          <CopyField label={t.id.label} value={frame.projectId} />
        </article>
        <UsageCard usage={usage} hasPlans={services.plans.isOn} />
        {roleIncludes(principal.role, "owner") && (
          <>
            <OwnershipCard home={frame.home} />
            <DeleteCard path={path} name={frame.name} refused={refusedIn("delete")} />
          </>
        )}
      </div>
    </ProjectShell>
  );
}

interface CardProps {
  readonly path: string;
  readonly name: string;
  readonly refused: RefusedSetting | null;
}

const RenameCard = ({ path, name, refused }: CardProps) => {
  const t = texts().projects.settings.rename;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <form method="post" action={path}>
        <Refusal problem={refused?.problem ?? null} />
        <Field
          label={t.name}
          name="name"
          value={refused?.text ?? name}
          maxlength={PROJECT_NAME_LENGTH_MAX}
          required
        />
        <button>{t.submit}</button>
      </form>
    </article>
  );
};

const UsageCard = (
  { usage, hasPlans }: { usage: Awaited<ReturnType<typeof getProjectUsage>>; hasPlans: boolean },
) => {
  const { plan, collections, documents, storage, ai } = usage;
  const { projects: { settings: { usage: t } }, shared } = texts();
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{hasPlans ? t.plan(plan) : t.noPlans}</p>
      <Meter label={t.collections} {...collections} />
      <Meter
        label={t.documents(countText(documents.count))}
        used={documents.bytes}
        limit={documents.limit}
        bytes
      />
      <Meter label={t.files} used={storage.used} limit={storage.limit} bytes />
      <p>
        {storage.provider === "external" && `${t.ownBucket} `}
        {t.fileUpTo(bytesText(storage.fileBytesMax))}
        {storage.reserved > 0 && ` ${shared.heldForUploads(bytesText(storage.reserved))}`}
      </p>
      <Meter label={t.aiQueries} {...ai.queries} />
      <Meter label={t.aiDesigns} {...ai.designs} />
      <Meter label={t.aiTurns} {...ai.turns} />
    </article>
  );
};

const OwnershipCard = ({ home }: { home: string }) => {
  const t = texts().projects.settings.owner;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about((text) => <a href={`${home}/members`}>{text}</a>)}</p>
    </article>
  );
};

const DeleteCard = ({ path, name, refused }: CardProps) => {
  const t = texts().projects.settings.delete;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about(TRASH_DAYS)}</p>
      <ConfirmForm
        label={t.title}
        action={`${path}/delete`}
        loss={t.loss(TRASH_DAYS)}
        button={t.submit}
        open={refused !== null}
      >
        <Refusal problem={refused?.problem ?? null} />
        <Field
          label={t.confirm(name)}
          name="name"
          value={refused?.text ?? ""}
          autocomplete="off"
          required
        />
      </ConfirmForm>
    </article>
  );
};
