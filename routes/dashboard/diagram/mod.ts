import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get } from "../pages.ts";
import { showDiagram } from "./diagram.tsx";

export function diagramPages(mount: Mount): void {
  mount(get("/dashboard/projects/{projectId}/diagram", member("viewer")), showDiagram);
}
