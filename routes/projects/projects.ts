import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { rotateKey } from "@/lib/projects/projects.ts";
import { listProjects, shownProject } from "@/lib/projects/shown_project.ts";
import { trashProject } from "@/lib/operations/project_trash.ts";
import { projectUsage } from "@/lib/operations/project_usage.ts";
import type * as projects from "@/openapi/paths/projects.ts";
import type { HandlerOf } from "../call.ts";

export const handleCreateProject: HandlerOf<typeof projects.createProject> = async (call) => {
  const { name, siteUrl = null, allowedOrigins = [] } = call.input;
  const { accountId: ownerId } = call.principal;
  const input = { name, siteUrl, allowedOrigins, ownerId };
  const created = await createProject(call.services, input);
  const reply = ok(201, JSON.stringify(created), "Project created");
  return { ...reply, headers: [NO_STORE] };
};

export const handleListProjects: HandlerOf<typeof projects.listProjects> = async (call) => {
  const page = await listProjects(call.services, call.principal, call.query);
  return ok(200, JSON.stringify(page), "Projects listed");
};

export const handleGetProject: HandlerOf<typeof projects.getProject> = async (
  { services, principal },
) => ok(200, JSON.stringify(await shownProject(services, principal)), "Project found");

export const handlePatchProject: HandlerOf<typeof projects.patchProject> = async (call) => {
  const { services, principal } = call;
  const project = await changeProject(services, principal.project._id, call.input);
  const shown = await shownProject(services, { project, role: principal.role });
  return ok(200, JSON.stringify(shown), "Project changed");
};

export const handleDeleteProject: HandlerOf<typeof projects.deleteProject> = async (call) => {
  const restorableUntil = await trashProject(call.services, call.principal, call.input.name);
  const { _id: projectId } = call.principal.project;
  return ok(200, JSON.stringify({ projectId, restorableUntil }), "Project deleted");
};

export const handleRotateProjectKey: HandlerOf<typeof projects.rotateProjectKey> = async (
  { services, principal, params: { kind } },
) => {
  const key = await rotateKey(services, principal.project._id, kind);
  const reply = ok(200, JSON.stringify({ kind, key }), "Key rotated");
  return { ...reply, headers: [NO_STORE] };
};

export const handleGetProjectUsage: HandlerOf<typeof projects.getProjectUsage> = async (
  { services, principal },
) => ok(200, JSON.stringify(await projectUsage(services, principal)), "Usage read");
