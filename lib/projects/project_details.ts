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
import { publishableKeyOf, publishableKeysOf } from "./list_keys.ts";

export interface ProjectDetails {
  readonly projectId: string;
  readonly name: string;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
  /** The publishable key; null if only its hash is stored. */
  readonly publishableKey: string | null;
  readonly hasAiKey: boolean;
  /** Plan of the owner. */
  readonly plan: PlanName;
  /** Role of the calling account. */
  readonly role: Role;
  readonly createdAt: string;
}

type ProjectDetailServices = { readonly engine: Engine; readonly plans: Plans };

export async function getProjectDetails(
  services: ProjectDetailServices,
  member: Pick<ProjectMember, "project" | "role">,
): Promise<ProjectDetails> {
  const { _id: projectId } = member.project;
  return await toProjectDetails(services, member, await publishableKeyOf(services, projectId));
}

async function toProjectDetails(
  { plans }: ProjectDetailServices,
  { project, role }: Pick<ProjectMember, "project" | "role">,
  publishableKey: string | null,
): Promise<ProjectDetails> {
  return {
    projectId: project._id,
    name: project.name,
    siteUrl: project.siteUrl,
    allowedOrigins: project.allowedOrigins,
    auth: authSettingsOf(project),
    files: fileSettingsOf(project),
    publishableKey,
    // Projects of earlier versions lack the field.
    hasAiKey: (project.sealedAiKey ?? null) !== null,
    plan: (await plans.ofProject(project._id)).name,
    role,
    createdAt: project.createdAt,
  };
}

/**
 * Lists the account's projects, newest membership first. Omits projects in the trash, so a page may
 * have fewer items than its limit. Throws `INVALID_CURSOR`.
 */
export async function listProjects(
  services: { engine: Engine; cursors: Cursors; plans: Plans },
  { accountId }: AccountPrincipal,
  { projects: listed = "all", ...request }: PageRequest & {
    readonly projects?: "all" | readonly Id[];
  },
): Promise<RecordPage<ProjectDetails>> {
  const { engine } = services;
  const own = and(
    eq("accountId", accountId),
    ...(listed === "all" ? [] : [within("projectId", [...listed])]),
  );
  const list = { space: "control", definition: MEMBERS, filter: own } as const;
  const { items: members, nextCursor } = await readPage<MemberRecord>(services, list, request);
  const projects = new Map<string, ProjectRecord>();
  if (members.length > 0) {
    const filter = within("_id", members.map(({ projectId }) => projectId));
    const found = engine.records<ProjectRecord>("control", PROJECTS).find({ filter });
    for await (const project of found) projects.set(project._id, project);
  }
  const publishableKeys = await publishableKeysOf(services, [...projects.keys()]);
  const items: ProjectDetails[] = [];
  for (const { projectId, role } of members) {
    const project = projects.get(projectId);
    if (project === undefined || isTrashed(project)) continue;
    const publishableKey = publishableKeys.get(projectId) ?? null;
    items.push(await toProjectDetails(services, { project, role }, publishableKey));
  }
  return { items, nextCursor };
}
