import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { countUsers } from "@/lib/auth/users.ts";
import { readCollectionSizes } from "@/lib/documents/collection_sizes.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { PROJECT_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { listProjects, type ProjectDetails } from "@/lib/projects/project_details.ts";
import { listTrashed, type TrashedProject } from "@/lib/operations/project_trash.ts";
import type { Services } from "@/lib/services.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf } from "../frame.ts";
import { PageLinks, readPaging } from "../paging.tsx";
import { pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const PROJECTS = "/dashboard";

/** Maximum number of projects on a page. Each of them needs queries to its own space. */
const PAGE_PROJECTS_MAX = 24;

const SAMPLE = "https://blog.example";

export interface RefusedProject {
  readonly name: string;
  readonly siteUrl: string;
  readonly problem: Problem;
}

export const showProjects: PageHandler<SignedInAccount> = async (c) =>
  pageReply(await projectsPage(c));

export const refusedProjectReply = async (
  c: PageContext<SignedInAccount>,
  refused: RefusedProject,
) => pageReply(await projectsPage(c, refused), { status: refused.problem.status });

async function projectsPage(c: PageContext<SignedInAccount>, refused?: RefusedProject) {
  const { services, principal, state: { query } } = c.var;
  const [{ items, nextCursor }, trashed] = await Promise.all([
    listProjects(services, principal, readPaging(query, PAGE_PROJECTS_MAX)),
    listTrashed(services, { ownerId: principal.accountId }),
  ]);
  const cards = await Promise.all(items.map((project) => loadCard(services, project)));
  const t = texts().projects;
  return (
    <AccountShell title={t.title} current={PROJECTS} {...principal}>
      <Bar title={t.title} />
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {cards.length === 0 && nextCursor === null
          ? <p class="empty">{t.none(principal.email)}</p>
          : <div class="cards">{cards.map((card) => <ProjectCard {...card} />)}</div>}
        <PageLinks path={PROJECTS} query={query} nextCursor={nextCursor} what={t.paged} />
        <NewProject refused={refused} />
        {trashed.length > 0 && <Trash projects={trashed} />}
      </div>
    </AccountShell>
  );
}

interface ProjectCardData {
  readonly project: ProjectDetails;
  readonly documents: number;
  readonly collections: number;
  readonly users: number;
  readonly used: number;
  readonly limit: number | null;
}

async function loadCard(services: Services, project: ProjectDetails): Promise<ProjectCardData> {
  const { projectId } = project;
  const [sizes, users, { used, limit }] = await Promise.all([
    readCollectionSizes(services, projectId),
    countUsers(services, projectId),
    getStorageUsage(services, projectId),
  ]);
  const documents = sizes.reduce((sum, { count }) => sum + count, 0);
  return { project, documents, collections: sizes.length, users, used, limit };
}

const ProjectCard = ({ project, used, limit, ...counts }: ProjectCardData) => {
  const { projects: t, shared } = texts();
  return (
    <article class="card">
      <h2>
        <a href={homeOf(project.projectId)}>{project.name}</a>
      </h2>
      <p>{t.holds(counts)}</p>
      <Meter label={t.files} used={used} limit={limit} bytes />
      <p class="marks">
        <span class="badge">{shared.roles[project.role]}</span>{" "}
        <span class="badge">{shared.plan(project.plan)}</span>
      </p>
    </article>
  );
};

const NewProject = ({ refused }: { refused: RefusedProject | undefined }) => {
  const t = texts().projects.create;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <form method="post" action={PROJECTS}>
        <Refusal problem={refused?.problem ?? null} />
        <Field
          label={t.name}
          name="name"
          value={refused?.name ?? ""}
          maxlength={PROJECT_NAME_LENGTH_MAX}
          required
        />
        <Field
          label={t.siteUrl}
          name="siteUrl"
          value={refused?.siteUrl ?? ""}
          placeholder={SAMPLE}
          hint={t.siteUrlHint}
        />
        <button>{t.submit}</button>
      </form>
    </article>
  );
};

const Trash = ({ projects }: { projects: readonly TrashedProject[] }) => {
  const t = texts().projects.trash;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <ul class="rows">
        {projects.map(({ projectId, name, restorableUntil }) => (
          <li>
            <span class="grow">
              <b>{name}</b>
              <small>{t.until(<When at={restorableUntil} />)}</small>
            </span>
            <code>{`deno task admin project restore --project ${projectId}`}</code>
          </li>
        ))}
      </ul>
    </article>
  );
};
