import { PROJECT_TRASH_DAYS, PROJECTS_PER_HOUR } from "@/lib/limits.ts";
import { answered, created } from "../answers.ts";
import { contract } from "../contract.ts";
import { pageQuery, projectId } from "../parameters.ts";
import {
  CREATED_PROJECT_EXAMPLE,
  CreatedProject,
  Project,
  PROJECT_EXAMPLE,
  ProjectChanges,
  ProjectDeletion,
  ProjectInput,
  ProjectList,
  SETTINGS_EXAMPLE,
  TRASHED_PROJECT_EXAMPLE,
  TrashedProject,
} from "../schemas/project.ts";
import { PROJECT_USAGE_EXAMPLE, ProjectUsage } from "../schemas/project_usage.ts";
import { allProjects, projectMember, sessionOrToken } from "../security.ts";

const TAG = "Projects";

export const createProject = contract({
  operationId: "createProject",
  tag: TAG,
  method: "post",
  path: "/api/projects",
  summary: "Create a project for the signed-in account",
  description:
    "Makes a project that the account owns. The secret key is shown this once. The plan " +
    "bounds the projects of an account, those in the trash included, and an account creates at " +
    `most ${PROJECTS_PER_HOUR} within an hour, also where the server limits no other requests.`,
  security: allProjects,
  body: {
    schema: ProjectInput,
    example: SETTINGS_EXAMPLE,
    description: "Its name, and what else is known already.",
  },
  success: created("Project created", "The project and its keys.", {
    data: CreatedProject,
    example: CREATED_PROJECT_EXAMPLE,
  }),
  problems: ["INVALID_INPUT", "PLAN_LIMIT_REACHED"],
});

export const listProjects = contract({
  operationId: "listProjects",
  tag: TAG,
  method: "get",
  path: "/api/projects",
  summary: "List the signed-in account's projects",
  description: "The projects of which the account is a member, the latest first; by a token for " +
    "some projects only these. A page may hold " +
    "fewer than `limit`; the list ends where `nextCursor` is null.",
  security: sessionOrToken,
  query: pageQuery,
  success: answered("Projects listed", "A page of projects.", {
    data: ProjectList,
    example: { items: [PROJECT_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const getProject = contract({
  operationId: "getProject",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}",
  summary: "Get a project for its members",
  description: "The project's settings.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Project found", "The project.", { data: Project, example: PROJECT_EXAMPLE }),
  problems: [],
});

export const patchProject = contract({
  operationId: "patchProject",
  tag: TAG,
  method: "patch",
  path: "/api/projects/{projectId}",
  summary: "Update a project's settings for its admins",
  description:
    "Sets its name, its Site URL, its allowed origins, or how its users sign up and in (`auth`, of " +
    "which what is left out stays). `siteUrl: null` clears it.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: ProjectChanges,
    example: { siteUrl: SETTINGS_EXAMPLE.siteUrl },
    description: "At least one of the members.",
  },
  success: answered("Project changed", "The project as it is now.", {
    data: Project,
    example: PROJECT_EXAMPLE,
  }),
  problems: ["INVALID_INPUT"],
});

export const deleteProject = contract({
  operationId: "deleteProject",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}",
  summary: "Delete a project for its owner",
  description: "Puts it into the trash: its keys, sign-in and files are refused from now on. For " +
    `${PROJECT_TRASH_DAYS} days an administrator of the server can restore it; then it is removed ` +
    "with all that is in it.\n\n" +
    "Files in the server's own bucket can be read there until they are removed, because a public " +
    "bucket asks nobody. Files in a bucket of the project's own stay there.",
  security: projectMember("owner"),
  params: { projectId },
  body: {
    schema: ProjectDeletion,
    example: { name: SETTINGS_EXAMPLE.name },
    description: "The project's name, so that nobody deletes another one by mistake.",
  },
  success: answered("Project deleted", "It is in the trash.", {
    data: TrashedProject,
    example: TRASHED_PROJECT_EXAMPLE,
  }),
  problems: ["PROJECT_NAME_MISMATCH"],
});

export const getProjectUsage = contract({
  operationId: "getProjectUsage",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/usage",
  summary: "Get a project's usage for its members",
  description: "What the project stores beside what its plan allows, and how often it was asked.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Usage read", "The usage.", {
    data: ProjectUsage,
    example: PROJECT_USAGE_EXAMPLE,
  }),
  problems: ["QUERY_TOO_SLOW", "STORAGE_UNAVAILABLE"],
});

/** In the order of the reference. */
export const PROJECTS = {
  createProject,
  listProjects,
  getProject,
  patchProject,
  deleteProject,
  getProjectUsage,
};
