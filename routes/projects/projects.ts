import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseSettings } from "@/lib/projects/settings.ts";
import { listProjects, shownProject } from "@/lib/projects/shown_project.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleCreateProject: Handler<SignedInAccount> = async (call) => {
  const { name, siteUrl = null, allowedOrigins = [] } = parseSettings(await call.body());
  if (name === undefined) throw new Problem("INVALID_BODY", { message: '"name" is missing.' });
  const { accountId: ownerId } = call.principal;
  const input = { name, siteUrl, allowedOrigins, ownerId };
  const created = await createProject(call.services, input);
  const reply = ok(201, JSON.stringify(created), "Project created");
  return { ...reply, headers: [NO_STORE] };
};

export const handleListProjects: Handler<SignedInAccount> = async (call) => {
  const page = await listProjects(call.services, call.principal, call.query);
  return ok(200, JSON.stringify(page), "Projects listed");
};

export const handleGetProject: Handler<ProjectMember> = async ({ services, principal }) =>
  ok(200, JSON.stringify(await shownProject(services, principal)), "Project found");
