import { findMailContext } from "@/lib/mail/outbox.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

/** Handling of a project's mails: sent, kept for reading, or not possible. */
export type MailHandling = "sent" | "kept" | "impossible";

export interface MailPage {
  readonly frame: Frame;
  readonly path: string;
  readonly handling: MailHandling;
  /** Whether the member may change settings and read codes. */
  readonly canEdit: boolean;
}

export const mailPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/mail`;

export async function findHandling(c: PageContext<ProjectMember>): Promise<MailHandling> {
  const { services, principal } = c.var;
  const options = { kinds: [], language: null };
  const context = await findMailContext(services, principal.project._id, options);
  if (context === null) return "impossible";
  return context.provider === null ? "kept" : "sent";
}

export async function loadMailPage(c: PageContext<ProjectMember>): Promise<MailPage> {
  const { services, principal } = c.var;
  const [frame, handling] = await Promise.all([loadFrame(services, principal), findHandling(c)]);
  return { frame, path: mailPath(c), handling, canEdit: roleIncludes(frame.role, "admin") };
}
