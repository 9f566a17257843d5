import { PROJECT_TRASH_DAYS, PROJECTS_PER_HOUR } from "@/lib/limits.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
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
  description: "Creates a project that the account owns. The secret key is shown only once. The " +
    "plan limits the number of projects, including those in the trash, and an account can create " +
    `at most ${PROJECTS_PER_HOUR} in an hour, even if the server has no other rate limits.`,
  security: allProjects,
  body: {
    schema: ProjectInput,
    example: SETTINGS_EXAMPLE,
    description: "The project's name, and optionally other settings.",
  },
  success: createdAnswer("Project created", "The project and its keys.", {
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
  description:
    "The projects of which the account is a member, newest first. A token for some projects " +
    "lists only these. A page may have fewer than `limit`; the list ends when `nextCursor` is null.",
  security: sessionOrToken,
  query: pageQuery,
  success: okAnswer("Projects listed", "A page of projects.", {
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
  success: okAnswer("Project found", "The project.", { data: Project, example: PROJECT_EXAMPLE }),
  problems: [],
});

export const patchProject = contract({
  operationId: "patchProject",
  tag: TAG,
  method: "patch",
  path: "/api/projects/{projectId}",
  summary: "Update a project's settings for its admins",
  description:
    "Sets the name, the Site URL, the allowed origins, or the settings for sign-in (`auth`) and " +
    "uploads (`files`), whose members stay unchanged if left out. `siteUrl: null` clears it.",
  security: projectMember("admin"),
  params: { projectId },
  body: {
    schema: ProjectChanges,
    example: { siteUrl: SETTINGS_EXAMPLE.siteUrl },
    description: "At least one of the members.",
  },
  success: okAnswer("Project changed", "The changed project.", {
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
  description: "Moves the project to the trash: its keys, sign-in and files stop working. For " +
    `${PROJECT_TRASH_DAYS} days, an administrator of the server can restore it; then it is ` +
    "deleted with all its data.\n\n" +
    "Public files in the server's own bucket can be read there until they are removed. Files in " +
    "a bucket of the project's own stay there.",
  security: projectMember("owner"),
  params: { projectId },
  body: {
    schema: ProjectDeletion,
    example: { name: SETTINGS_EXAMPLE.name },
    description: "The project's name, as a confirmation.",
  },
  success: okAnswer("Project deleted", "The project is in the trash.", {
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
  description: "The project's storage with the limits of its plan, and its number of requests.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Usage read", "The usage.", {
    data: ProjectUsage,
    example: PROJECT_USAGE_EXAMPLE,
  }),
  problems: ["QUERY_TOO_SLOW", "STORAGE_UNAVAILABLE"],
});

export const PROJECTS = {
  createProject,
  listProjects,
  getProject,
  patchProject,
  deleteProject,
  getProjectUsage,
};
