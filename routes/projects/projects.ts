import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { trashProject } from "@/lib/operations/project_trash.ts";
import { getProjectUsage } from "@/lib/operations/project_usage.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { getProjectDetails, listProjects } from "@/lib/projects/project_details.ts";
import type { PROJECTS } from "@/openapi/paths/projects.ts";
import type { HandlersOf } from "../handler.ts";

export const projects: HandlersOf<typeof PROJECTS> = {
  createProject: async (c) => {
    const { services, principal } = c.var;
    const { name, siteUrl = null, allowedOrigins = [] } = c.req.valid("json");
    const input = { name, siteUrl, allowedOrigins, ownerId: principal.accountId };
    const created = await createProject(services, input);
    const reply = ok(201, JSON.stringify(created), "Project created");
    return { ...reply, headers: [NO_STORE] };
  },

  listProjects: async (c) => {
    const { services, principal } = c.var;
    const { projects } = principal.scope;
    const page = await listProjects(services, principal, { ...c.req.valid("query"), projects });
    return ok(200, JSON.stringify(page), "Projects listed");
  },

  getProject: async (c) => {
    const project = await getProjectDetails(c.var.services, c.var.principal);
    return ok(200, JSON.stringify(project), "Project found");
  },

  patchProject: async (c) => {
    const { services, principal } = c.var;
    const project = await changeProject(services, principal.project._id, c.req.valid("json"));
    const details = await getProjectDetails(services, { project, role: principal.role });
    return ok(200, JSON.stringify(details), "Project changed");
  },

  deleteProject: async (c) => {
    const { services, principal } = c.var;
    const restorableUntil = await trashProject(services, principal, c.req.valid("json").name);
    const { _id: projectId } = principal.project;
    return ok(200, JSON.stringify({ projectId, restorableUntil }), "Project deleted");
  },

  getProjectUsage: async (c) => {
    const usage = await getProjectUsage(c.var.services, c.var.principal);
    return ok(200, JSON.stringify(usage), "Usage read");
  },
};
