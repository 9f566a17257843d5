import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { eq } from "../store/filter.ts";
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
  const { items, nextCursor } = await readPage<InvitationRecord>(services, {
    space: "control",
    definition: INVITATIONS,
    asked: eq("projectId", projectId),
    present: openAt(services.clock),
  }, request);
  return { items: items.map(shownInvitation), nextCursor };
}
