import { AI_TIMEOUT_MS } from "@/lib/limits.ts";
import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { saveKeyByForm, showAi } from "./ai.tsx";
import { showDesigner, talkToDesigner } from "./designer.tsx";

const AI = "/dashboard/projects/{projectId}/ai";

export function aiPages(mount: Mount): void {
  mount(get(AI, member("viewer")), showAi);
  mount(post(`${AI}/key`, member("admin")), saveKeyByForm);
  mount(get(`${AI}/designer`, member("viewer")), showDesigner);
  mount(post(`${AI}/designer`, member("admin"), { extraMs: AI_TIMEOUT_MS }), talkToDesigner);
}
