import type { Mount } from "../../handler.ts";
import { member, session } from "../guards.ts";
import { get, post } from "../pages.ts";
import { createProjectByForm } from "./create_project.tsx";
import { PROJECTS, showProjects } from "./projects.tsx";
import { changeSettings, deleteProject, showSettings } from "./settings.tsx";

const SETTINGS = `${PROJECTS}/projects/{projectId}/settings`;

export function projectPages(mount: Mount): void {
  mount(get(PROJECTS, session), showProjects);
  mount(post(PROJECTS, session), createProjectByForm);
  mount(get(SETTINGS, member("viewer")), showSettings);
  mount(post(SETTINGS, member("admin")), changeSettings);
  mount(post(`${SETTINGS}/delete`, member("owner")), deleteProject);
}
