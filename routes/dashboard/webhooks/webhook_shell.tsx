import type { Child } from "hono/jsx";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

export interface WebhookPage {
  readonly frame: Frame;
  readonly path: string;
  readonly canEdit: boolean;
}

export const webhooksPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/webhooks`;

export async function loadWebhookPage(c: PageContext<ProjectMember>): Promise<WebhookPage> {
  const { services, principal } = c.var;
  const frame = await loadFrame(services, principal);
  return { frame, path: webhooksPath(c), canEdit: roleIncludes(frame.role, "admin") };
}

export const WebhookShell = (
  { page, title, acts, children }: {
    page: WebhookPage;
    title: string;
    acts?: Child;
    children?: Child;
  },
) => (
  <ProjectShell frame={page.frame} title={title} current={page.path}>
    <Bar title={title}>{acts}</Bar>
    <div class="sheet">{children}</div>
  </ProjectShell>
);
