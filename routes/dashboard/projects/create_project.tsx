import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { type CreatedProject, createProject } from "@/lib/projects/create_project.ts";
import { PROVIDER_NAMES } from "@/lib/social/providers.ts";
import type { PageHandler } from "../../handler.ts";
import { CopyField } from "../components/forms.tsx";
import { AccountShell, Bar } from "../components/shell.tsx";
import { homeOf } from "../frame.ts";
import { Snippets } from "../overview/snippets.tsx";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { PROJECTS, refusedProjectReply } from "./projects.tsx";

/** Creates a project. The reply itself shows the keys, because they must not be in an address. */
export const createProjectByForm: PageHandler<SignedInAccount> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal } = c.var;
  const given = { name: form.get("name") ?? "", siteUrl: form.get("siteUrl")?.trim() ?? "" };
  const result = await attempt(() =>
    createProject(services, {
      name: given.name,
      siteUrl: given.siteUrl === "" ? null : given.siteUrl,
      ownerId: principal.accountId,
    })
  );
  const { problem } = result;
  if (problem !== null) return await refusedProjectReply(c, { ...given, problem });
  const page = (
    <CreatedPage account={principal} created={result.value} publicUrl={services.config.publicUrl} />
  );
  return pageReply(page, { status: 201 });
};

const CreatedPage = (
  { account, created, publicUrl }: {
    account: SignedInAccount;
    created: CreatedProject;
    publicUrl: string;
  },
) => {
  const t = texts().projects.created;
  return (
    <AccountShell title={created.name} current={PROJECTS} {...account}>
      <Bar title={created.name} />
      <div class="sheet">
        <article class="card">
          <h2>{t.keys}</h2>
          <p>{t.about}</p>
          <CopyField label={t.publishableKey} value={created.publishableKey} />
          <CopyField label={t.secretKey} value={created.secretKey} />
        </article>
        <a role="button" href={homeOf(created.projectId)}>{t.open}</a>
        <Snippets
          publicUrl={publicUrl}
          publishableKey={created.publishableKey}
          collection={null}
          provider={PROVIDER_NAMES[0]!}
          createAction={`${homeOf(created.projectId)}/collections`}
        />
      </div>
    </AccountShell>
  );
};
