import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { type InvitationRecord, INVITATIONS, isOpenAt } from "./invitations.ts";
import type { Role } from "./members.ts";

/** An open invitation. It must not reveal whether the address has an account. */
export interface InvitationDetails {
  readonly invitationId: Id;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export const toInvitationDetails = (
  { _id: invitationId, email, role, createdAt, expiresAt }: InvitationRecord,
): InvitationDetails => ({ invitationId, email, role, createdAt, expiresAt });

/** Lists open invitations, newest first. Throws `INVALID_CURSOR`. */
export async function listInvitations(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<InvitationDetails>> {
  const { items, nextCursor } = await readPage<InvitationRecord>(services, {
    space: "control",
    definition: INVITATIONS,
    filter: eq("projectId", projectId),
    visible: isOpenAt(services.clock),
  }, request);
  return { items: items.map(toInvitationDetails), nextCursor };
}
