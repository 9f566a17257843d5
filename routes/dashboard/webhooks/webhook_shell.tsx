import type { Child } from "hono/jsx";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

/** What each page about webhooks begins with. */
export interface WebhookPage {
  readonly frame: Frame;
  /** The path of their list. */
  readonly path: string;
  readonly canEdit: boolean;
}

export const webhooksPathOf = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/webhooks`;

export async function loadWebhookPage(c: PageContext<ProjectMember>): Promise<WebhookPage> {
  const { services, principal } = c.var;
  const frame = await loadFrame(services, principal);
  return { frame, path: webhooksPathOf(c), canEdit: includes(frame.role, "admin") };
}

/** @param acts What can be done there, at the page's head. */
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
