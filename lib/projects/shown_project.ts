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
import { publishableKeyOf, publishableKeysOf } from "./shown_keys.ts";

/** A project as its members see it. */
export interface ShownProject {
  readonly projectId: string;
  readonly name: string;
  readonly siteUrl: string | null;
  readonly allowedOrigins: readonly string[];
  readonly auth: AuthSettings;
  readonly files: FileSettings;
  /** Null where only its hash is known. */
  readonly publishableKey: string | null;
  readonly hasAiKey: boolean;
  /** The plan of its owner. */
  readonly plan: PlanName;
  /** Of the account that asks. */
  readonly role: Role;
  readonly createdAt: string;
}

type ShownServices = { readonly engine: Engine; readonly plans: Plans };

export async function shownProject(
  services: ShownServices,
  member: Pick<ProjectMember, "project" | "role">,
): Promise<ShownProject> {
  const { _id: projectId } = member.project;
  return await shown(services, member, await publishableKeyOf(services, projectId));
}

async function shown(
  { plans }: ShownServices,
  { project, role }: Pick<ProjectMember, "project" | "role">,
  publishableKey: string | null,
): Promise<ShownProject> {
  return {
    projectId: project._id,
    name: project.name,
    siteUrl: project.siteUrl,
    allowedOrigins: project.allowedOrigins,
    auth: authSettingsOf(project),
    files: fileSettingsOf(project),
    publishableKey,
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
  const list = { space: "control", definition: MEMBERS, asked: own } as const;
  const { items: members, nextCursor } = await readPage<MemberRecord>(services, list, request);
  const projects = new Map<string, ProjectRecord>();
  if (members.length > 0) {
    const filter = within("_id", members.map(({ projectId }) => projectId));
    const found = engine.records<ProjectRecord>("control", PROJECTS).find({ filter });
    for await (const project of found) projects.set(project._id, project);
  }
  const publishableKeys = await publishableKeysOf(services, [...projects.keys()]);
  const items: ShownProject[] = [];
  for (const { projectId, role } of members) {
    const project = projects.get(projectId);
    if (project === undefined || isTrashed(project)) continue;
    const publishableKey = publishableKeys.get(projectId) ?? null;
    items.push(await shown(services, { project, role }, publishableKey));
  }
  return { items, nextCursor };
}
