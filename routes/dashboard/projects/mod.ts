import type { Mount } from "../../call.ts";
import { session } from "../guards.ts";
import { get, post } from "../pages.ts";
import { createProjectByForm, showProjects } from "./projects.tsx";

export function projectPages(mount: Mount): void {
  mount(get("/dashboard", session), showProjects);
  mount(post("/dashboard", session), createProjectByForm);
}
