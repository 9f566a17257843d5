import type { AccountPrincipal, PlanName } from "./account_records.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { type MemberRecord, MEMBERS, type ProjectMember, type Role } from "./members.ts";
import { type AuthSettings, authSettingsOf } from "./auth_settings.ts";
import { type FileSettings, fileSettingsOf } from "./file_settings.ts";
import type { Plans } from "./plans.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";

/** A project as its members see it. */
export interface ShownProject {
  readonly projectId: string;
  readonly name: string;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
  readonly hasAiKey: boolean;
  /** The plan of its owner. */
  readonly plan: PlanName;
  /** Of the account that asks. */
  readonly role: Role;
  readonly createdAt: string;
}

export async function shownProject(
  { plans }: { plans: Plans },
  { project, role }: Pick<ProjectMember, "project" | "role">,
): Promise<ShownProject> {
  return {
    projectId: project._id,
    name: project.name,
    siteUrl: project.siteUrl,
    allowedOrigins: project.allowedOrigins,
    auth: authSettingsOf(project),
    files: fileSettingsOf(project),
    // Projects of earlier versions know no AI key.
    hasAiKey: (project.sealedAiKey ?? null) !== null,
    plan: (await plans.of(project._id)).name,
    role,
    createdAt: project.createdAt,
  };
}

/**
 * The projects in which the account has a part, the newest part first; those in the trash are left
 * out of their page. Throws `INVALID_CURSOR`. @param request With `projects` only of these.
 */
export async function listProjects(
  services: { engine: Engine; cursors: Cursors; plans: Plans },
  { accountId }: AccountPrincipal,
  { projects: listed = "all", ...request }: PageRequest & {
    readonly projects?: "all" | readonly Id[];
  },
): Promise<RecordPage<ShownProject>> {
  const { engine } = services;
  const own = and(
    eq("accountId", accountId),
    ...(listed === "all" ? [] : [within("projectId", [...listed])]),
  );
  const { items: members, nextCursor } = await readPage(services, {
    projectId: "control",
    name: MEMBERS.name,
    records: engine.records<MemberRecord>("control", MEMBERS),
    asked: own,
    filter: own,
  }, request);
  const projects = new Map<string, ProjectRecord>();
  if (members.length > 0) {
    const filter = within("_id", members.map(({ projectId }) => projectId));
    const found = engine.records<ProjectRecord>("control", PROJECTS).find({ filter });
    for await (const project of found) projects.set(project._id, project);
  }
  const items: ShownProject[] = [];
  for (const { projectId, role } of members) {
    const project = projects.get(projectId);
    if (project === undefined || isTrashed(project)) continue;
    items.push(await shownProject(services, { project, role }));
  }
  return { items, nextCursor };
}
