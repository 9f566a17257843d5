import { listCollections } from "@/lib/documents/save_collection.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { lastBrowserUse } from "@/lib/projects/key_notes.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { parseKeyKind } from "@/lib/projects/projects.ts";
import { readRequestCounts } from "@/lib/projects/request_counts.ts";
import {
  endFormerKey,
  parseGraceHours,
  type RotatedKey,
  rotateKey,
} from "@/lib/projects/rotate_key.ts";
import { listKeys } from "@/lib/projects/list_keys.ts";
import { listProviders } from "@/lib/social/manage_providers.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { parseSiteUrl } from "../components/site_url_form.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { Addresses, type RefusedAddress } from "./addresses.tsx";
import { Keys } from "./keys.tsx";
import { OverviewTabs } from "./overview_tabs.tsx";
import { RequestCounts } from "./request_counts.tsx";
import { isPubliclyReadable, Snippets } from "./snippets.tsx";

export const showOverview: PageHandler<ProjectMember> = async (c) =>
  pageReply(await overviewPage(c, {}));

/** Saves the Site URL or the allowed origins, whichever the form contains. */
export const changeAddresses: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const member = form.has("allowedOrigins") ? "allowedOrigins" : "siteUrl";
  const text = form.get(member) ?? "";
  const change = member === "siteUrl"
    ? { siteUrl: parseSiteUrl(text) }
    : { allowedOrigins: linesOf(text) };
  const { problem } = await attempt(() => changeProject(services, projectId, change));
  if (problem === null) return seeOther(`${homeOf(projectId)}?done=${member}`);
  const page = await overviewPage(c, { refused: { member, text, problem } });
  return pageReply(page, { status: problem.status });
};

const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

/** Rotates a key. The reply itself shows it, because a secret must not be in an address. */
export const rotateByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const kind = parseKeyKind(form.get("kind") ?? "");
  const graceHours = parseGraceHours(form.get("graceHours") ?? "0");
  const fresh = await rotateKey(services, principal.project._id, { kind, graceHours });
  return pageReply(await overviewPage(c, { fresh }));
};

export const endFormerByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const kind = parseKeyKind((await c.var.body.form()).get("kind") ?? "");
  await endFormerKey(services, projectId, kind);
  return seeOther(`${homeOf(projectId)}?done=formerKey`);
};

async function overviewPage(
  c: PageContext<ProjectMember>,
  { fresh = null, refused = null }: { fresh?: RotatedKey | null; refused?: RefusedAddress | null },
) {
  const { services, principal, state: { query } } = c.var;
  const { project } = principal;
  const { _id: projectId } = project;
  const [frame, keys, seen, collections, providers, counts] = await Promise.all([
    loadFrame(services, principal),
    listKeys(services, projectId),
    lastBrowserUse(services, projectId),
    listCollections(services, projectId),
    listProviders(services, projectId),
    readRequestCounts(services, projectId),
  ]);
  const canChange = roleIncludes(principal.role, "admin");
  const { overview: t, shared: { roles } } = texts();
  return (
    <ProjectShell frame={frame} title={t.title} current={frame.home}>
      <Bar title={t.title}>
        <span class="badge">{roles[principal.role]}</span>
        <OverviewTabs home={frame.home} current={frame.home} />
      </Bar>
      <div class="sheet">
        <DoneNote query={query} sentences={t.done} />
        {collections.length === 0 && (
          <p class="empty">
            {canChange
              ? t.noCollections.admin((text) => <a href={`${frame.home}/collections`}>{text}</a>)
              : t.noCollections.viewer}
          </p>
        )}
        <Keys
          home={frame.home}
          keys={keys}
          seenInBrowser={seen}
          fresh={fresh}
          canChange={canChange}
        />
        <Addresses project={project} home={frame.home} refused={refused} canChange={canChange} />
        <RequestCounts projectId={projectId} counts={counts} />
        <Snippets
          publicUrl={services.config.publicUrl}
          publishableKey={keys.find(({ kind }) => kind === "publishable")?.key ?? null}
          collection={collections.find(isPubliclyReadable) ?? collections[0] ?? null}
          createAction={canChange ? `${frame.home}/collections` : null}
          provider={(providers.find(({ enabled }) => enabled) ?? providers[0]!).provider}
        />
      </div>
    </ProjectShell>
  );
}
