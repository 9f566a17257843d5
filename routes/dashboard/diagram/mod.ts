import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get } from "../pages.ts";
import { showDiagram } from "./diagram.tsx";

export function diagramPages(mount: Mount): void {
  // To place two hundred collections takes a tenth of a second, and more with many references.
  const path = "/dashboard/projects/{projectId}/diagram";
  mount(get(path, member("viewer"), { offload: "always" }), showDiagram);
}
