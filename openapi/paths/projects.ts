import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { paging, projectId } from "../parameters.ts";
import {
  CREATED_PROJECT_EXAMPLE,
  CreatedProject,
  Project,
  PROJECT_EXAMPLE,
  ProjectInput,
  ProjectList,
  SETTINGS_EXAMPLE,
} from "../schemas/project.ts";
import { dashboardSession, projectMember } from "../security.ts";

const TAG = "Projects";

export const createProject = contract({
  operationId: "createProject",
  tag: TAG,
  method: "post",
  path: "/api/projects",
  summary: "Create a project",
  description: "Makes a project that the account owns. Both API keys are shown this once.",
  security: dashboardSession,
  parameters: [],
  body: {
    schema: ProjectInput,
    example: SETTINGS_EXAMPLE,
    description: "Its name, and what else is known already.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{
    status: 201,
    description: "The project and its keys.",
    data: CreatedProject,
    example: CREATED_PROJECT_EXAMPLE,
    message: "Project created",
  }],
  problems: ["INVALID_INPUT"],
});

export const listProjects = contract({
  operationId: "listProjects",
  tag: TAG,
  method: "get",
  path: "/api/projects",
  summary: "List projects",
  description: "The projects of which the account is a member, the latest first. A page may hold " +
    "fewer than `limit`; the list ends where `nextCursor` is null.",
  security: dashboardSession,
  parameters: paging,
  body: null,
  success: [{
    status: 200,
    description: "A page of projects.",
    data: ProjectList,
    example: { items: [PROJECT_EXAMPLE], nextCursor: null },
    message: "Projects listed",
  }],
  problems: ["INVALID_QUERY", "INVALID_CURSOR"],
});

export const getProject = contract({
  operationId: "getProject",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}",
  summary: "Read a project",
  description: "The project's settings.",
  security: projectMember("viewer"),
  parameters: [projectId],
  body: null,
  success: [{
    status: 200,
    description: "The project.",
    data: Project,
    example: PROJECT_EXAMPLE,
    message: "Project found",
  }],
  problems: [],
});

/** In the order of the reference. */
export const PROJECTS = [createProject, listProjects, getProject];
