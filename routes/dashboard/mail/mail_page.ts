import { findMailContext } from "@/lib/mail/outbox.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { type Frame, homeOf, loadFrame } from "../frame.ts";

/** What becomes of the mails of a project. */
export type MailFate = "sent" | "kept" | "impossible";

/** What each page about mail begins with. */
export interface MailPage {
  readonly frame: Frame;
  /** The path of the first of them. */
  readonly path: string;
  readonly fate: MailFate;
  /** Whether the member may change things, and read codes. */
  readonly canEdit: boolean;
}

export const mailPathOf = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/mail`;

export async function mailFateOf(c: PageContext<ProjectMember>): Promise<MailFate> {
  const { services, principal } = c.var;
  const options = { kinds: [], language: null };
  const context = await findMailContext(services, principal.project._id, options);
  if (context === null) return "impossible";
  return context.provider === null ? "kept" : "sent";
}

export async function loadMailPage(c: PageContext<ProjectMember>): Promise<MailPage> {
  const { services, principal } = c.var;
  const [frame, fate] = await Promise.all([loadFrame(services, principal), mailFateOf(c)]);
  return { frame, path: mailPathOf(c), fate, canEdit: includes(frame.role, "admin") };
}
