import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { type InvitationRecord, INVITATIONS, openAt } from "./invitations.ts";
import type { Role } from "./members.ts";

/** An open invitation as those who may invite see it: of an account it tells nothing. */
export interface ShownInvitation {
  readonly invitationId: Id;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export const shownInvitation = (
  { _id: invitationId, email, role, createdAt, expiresAt }: InvitationRecord,
): ShownInvitation => ({ invitationId, email, role, createdAt, expiresAt });

/** The open invitations, the latest first. Throws `INVALID_CURSOR`. */
export async function listInvitations(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<ShownInvitation>> {
  const { engine, clock } = services;
  const its = eq("projectId", projectId);
  const records = engine.records<InvitationRecord>("control", INVITATIONS);
  const filter = and(its, openAt(clock));
  const list = { projectId, name: INVITATIONS.name, records, asked: its, filter };
  const { items, nextCursor } = await readPage(services, list, request);
  return { items: items.map(shownInvitation), nextCursor };
}
