import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { collectionSizes } from "@/lib/documents/collection_sizes.ts";
import { getStorageUsage } from "@/lib/files/usage.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { parseSettings } from "@/lib/projects/settings.ts";
import { listProjects, type ShownProject } from "@/lib/projects/shown_project.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type { Call, Handler } from "../../call.ts";
import { CopyField, Field, Refusal } from "../components/forms.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { bytesText, counted } from "../components/texts.ts";
import { homeOf } from "../frame.ts";
import { attempt, pageReply } from "../replies.ts";

export const showProjects: Handler<SignedInAccount> = async (call) =>
  pageReply(await projectsPage(call));

/** The keys are in the answer itself: they are shown once, and are in no address. */
export const createProjectByForm: Handler<SignedInAccount> = async (call) => {
  const form = await call.form();
  const { services, principal } = call;
  const name = form.get("name") ?? "";
  const tried = await attempt(() =>
    createProject(services, {
      name: parseSettings({ name }).name!,
      siteUrl: null,
      allowedOrigins: [],
      ownerId: principal.accountId,
    })
  );
  if (tried.problem !== null) {
    const page = await projectsPage(call, { name, problem: tried.problem });
    return pageReply(page, { status: tried.problem.status });
  }
  return pageReply(<CreatedPage account={principal} created={tried.value} />, { status: 201 });
};

interface Entered {
  readonly name: string;
  readonly problem: Problem;
}

async function projectsPage(
  { services, principal, query }: Call<SignedInAccount>,
  entered?: Entered,
) {
  const { items, nextCursor } = await listProjects(services, principal, query);
  const cards = await Promise.all(items.map((project) => cardOf(services, project)));
  return (
    <AccountShell title="Projects" current="/dashboard" {...principal}>
      <Bar title="Projects" />
      <div class="sheet">
        {cards.length === 0
          ? <p>A project holds an application's users, data and files. Make your first one.</p>
          : <div class="cards">{cards.map((card) => <ProjectCard {...card} />)}</div>}
        {nextCursor !== null && (
          <a href={`/dashboard?${new URLSearchParams({ cursor: nextCursor })}`}>More projects</a>
        )}
        <article class="card">
          <h2>New project</h2>
          <form method="post" action="/dashboard">
            <Refusal problem={entered?.problem ?? null} />
            <Field label="Name" name="name" value={entered?.name ?? ""} required />
            <button>Create project</button>
          </form>
        </article>
      </div>
    </AccountShell>
  );
}

interface Card {
  readonly project: ShownProject;
  readonly documents: number;
  readonly collections: number;
  readonly used: number;
  readonly limit: number | null;
}

async function cardOf(services: Services, project: ShownProject): Promise<Card> {
  const [sizes, { used, limit }] = await Promise.all([
    collectionSizes(services, project.projectId),
    getStorageUsage(services, project.projectId),
  ]);
  const documents = sizes.reduce((sum, { count }) => sum + count, 0);
  return { project, documents, collections: sizes.length, used, limit };
}

const ProjectCard = ({ project, documents, collections, used, limit }: Card) => (
  <article class="card">
    <h2>
      <a href={homeOf(project.projectId)}>{project.name}</a>
    </h2>
    <p>
      {counted(documents, "document")} in {counted(collections, "collection")}
    </p>
    <label>
      Files: {bytesText(used)}
      {limit !== null && ` of ${bytesText(limit)}`}
      {limit !== null && <progress max={limit} value={used}></progress>}
    </label>
    <small>{project.role} · {project.plan} plan</small>
  </article>
);

const CreatedPage = (
  { account, created }: {
    account: SignedInAccount;
    created: { projectId: string; name: string; publishableKey: string; secretKey: string };
  },
) => (
  <AccountShell title={created.name} current="/dashboard" {...account}>
    <Bar title={created.name} />
    <div class="sheet">
      <article class="card">
        <h2>Keys</h2>
        <p>They are shown this once. A lost key is replaced by rotating it.</p>
        <CopyField label="Publishable key, for browsers" value={created.publishableKey} />
        <CopyField label="Secret key, for servers only" value={created.secretKey} />
      </article>
      <a role="button" href={homeOf(created.projectId)}>Go to the project</a>
    </div>
  </AccountShell>
);
