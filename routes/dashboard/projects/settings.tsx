import { PROJECT_NAME_LENGTH_MAX, PROJECT_TRASH_MS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { trashProject } from "@/lib/operations/project_trash.ts";
import { projectUsage } from "@/lib/operations/project_usage.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Field, Refusal } from "../components/forms.tsx";
import { SiteUrlForm, siteUrlIn } from "../components/site_url_form.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { bytesText, countText } from "@/lib/text/amounts.ts";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { PROJECTS } from "./projects.tsx";

const DONE = { renamed: "The name is saved.", siteUrl: "The Site URL is saved." };

const TRASH_DAYS = PROJECT_TRASH_MS / 86_400_000;

/** A form of this page that was refused, with what was typed there. */
interface Refused {
  readonly form: "rename" | "siteUrl" | "delete";
  readonly text: string;
  readonly problem: Problem;
}

export const showSettings: PageHandler<ProjectMember> = async (c) =>
  pageReply(await settingsPage(c));

/** Saves the one setting that its form has. */
export const changeSettings: PageHandler<ProjectMember> = async (c) => {
  const fields = await c.var.body.form();
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const form = fields.has("siteUrl") ? "siteUrl" : "rename";
  const text = fields.get(form === "siteUrl" ? "siteUrl" : "name") ?? "";
  const change = form === "siteUrl" ? { siteUrl: siteUrlIn(text) } : { name: text };
  const { problem } = await attempt(() => changeProject(services, projectId, change));
  if (problem !== null) return await refusedPage(c, { form, text, problem });
  const done = form === "siteUrl" ? form : "renamed";
  return seeOther(`${homeOf(projectId)}/settings?done=${done}`);
};

export const deleteProject: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const name = (await c.var.body.form()).get("name") ?? "";
  const { problem } = await attempt(() => trashProject(services, principal, name));
  if (problem !== null) return await refusedPage(c, { form: "delete", text: name, problem });
  return seeOther(`${PROJECTS}?done=deleted`);
};

const refusedPage = async (c: PageContext<ProjectMember>, refused: Refused) =>
  pageReply(await settingsPage(c, refused), { status: refused.problem.status });

async function settingsPage(c: PageContext<ProjectMember>, refused?: Refused) {
  const { services, principal, state: { query } } = c.var;
  const [frame, usage] = await Promise.all([
    loadFrame(services, principal),
    projectUsage(services, principal),
  ]);
  const path = `${frame.home}/settings`;
  const of = (form: Refused["form"]) => refused?.form === form ? refused : null;
  return (
    <ProjectShell frame={frame} title="Settings" current={path}>
      <Bar title="Settings">
        <span class="badge on">{usage.plan} plan</span>
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        {includes(principal.role, "admin") && (
          <>
            <RenameCard path={path} name={frame.name} refused={of("rename")} />
            <article class="card">
              <h2>Site URL</h2>
              <SiteUrlForm
                action={path}
                siteUrl={of("siteUrl")?.text ?? principal.project.siteUrl}
                problem={of("siteUrl")?.problem ?? null}
              />
            </article>
          </>
        )}
        <UsageCard usage={usage} hasPlans={services.plans.isOn} />
        {includes(principal.role, "owner") && (
          <>
            <OwnershipCard home={frame.home} />
            <DeleteCard path={path} name={frame.name} refused={of("delete")} />
          </>
        )}
      </div>
    </ProjectShell>
  );
}

interface CardProps {
  readonly path: string;
  readonly name: string;
  readonly refused: Refused | null;
}

const RenameCard = ({ path, name, refused }: CardProps) => (
  <article class="card">
    <h2>Name</h2>
    <form method="post" action={path}>
      <Refusal problem={refused?.problem ?? null} />
      <Field
        label="Project's name"
        name="name"
        value={refused?.text ?? name}
        maxlength={PROJECT_NAME_LENGTH_MAX}
        required
      />
      <button>Rename</button>
    </form>
  </article>
);

const UsageCard = (
  { usage, hasPlans }: { usage: Awaited<ReturnType<typeof projectUsage>>; hasPlans: boolean },
) => {
  const { plan, collections, documents, storage, ai } = usage;
  return (
    <article class="card">
      <h2>Plan and limits</h2>
      <p>
        {hasPlans
          ? `The project has the plan of its owner: ${plan}. Whoever runs this server changes plans.`
          : "Plans limit nothing on this server."}
      </p>
      <Meter label="Collections" {...collections} />
      <Meter
        label={`Documents (${countText(documents.count)})`}
        used={documents.bytes}
        limit={documents.limit}
        bytes
      />
      <Meter label="Files" used={storage.used} limit={storage.limit} bytes />
      <p>
        {storage.provider === "external" && "Files go to a bucket of the project's own. "}
        A file has up to {bytesText(storage.fileBytesMax)}.
        {storage.reserved > 0 && ` ${bytesText(storage.reserved)} are held for uploads under way.`}
      </p>
      <Meter label="Your AI queries this month" {...ai.queries} />
      <Meter label="Your AI designs this month" {...ai.designs} />
      <Meter label="Your turns with the creator this month" {...ai.turns} />
    </article>
  );
};

const OwnershipCard = ({ home }: { home: string }) => (
  <article class="card">
    <h2>Owner</h2>
    <p>
      This project is yours. You can offer it to another member on the{" "}
      <a href={`${home}/members`}>members page</a>: it is theirs once they accept.
    </p>
  </article>
);

const DeleteCard = ({ path, name, refused }: CardProps) => (
  <article class="card">
    <h2>Delete project</h2>
    <p>It stays in the trash for {TRASH_DAYS} days.</p>
    <Ask
      label="Delete project"
      action={`${path}/delete`}
      loss={"Its keys, users, documents and files answer nobody any more, at once. For " +
        `${TRASH_DAYS} days whoever runs this server can bring it back; then it is gone for good.`}
      button="Delete the project"
      open={refused !== null}
    >
      <Refusal problem={refused?.problem ?? null} />
      <Field
        label={`Type ${name} to be sure`}
        name="name"
        value={refused?.text ?? ""}
        autocomplete="off"
        required
      />
    </Ask>
  </article>
);
