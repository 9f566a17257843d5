import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Filter, Id, Transaction } from "../store/port.ts";
import { includes, memberKey, type MemberRecord, MEMBERS, type Role } from "./members.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * An offer of a part in a project, or of the project itself, which begins when it is accepted. In
 * the control space.
 */
export const INVITATIONS = recordKind({
  name: "invitations",
  fields: {
    projectId: field.ref,
    /** Whom the inviter meant, as they typed it. It proves nothing: whoever has the link accepts. */
    email: field.text,
    /** `owner` for the offer of the project itself. */
    role: field.textOf<Role>(),
    /** Only as long as this account may invite can the invitation be accepted. */
    invitedBy: field.ref,
    /** The member who may accept the offer of the project; null for a membership. */
    newOwnerId: nullable(field.ref),
    /** SHA-256 of what the link ends with; the token itself is kept nowhere. */
    tokenHash: field.text,
    /** What only one invitation is for, see {@linkcode subjectOf}: a new one takes its place. */
    subject: field.text,
    /** Whether an account was registered by its link: one is. */
    isRegistered: field.flag,
    /** Null while it is open. An accepted one is kept so that accepting again answers the same. */
    acceptedBy: nullable(field.ref),
    createdAt: field.date,
    expiresAt: field.date,
  },
  indexes: [
    { keys: [{ path: "tokenHash", descending: false }], unique: true },
    { keys: [{ path: "subject", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }, { path: "createdAt", descending: true }] },
    { keys: [{ path: "invitedBy", descending: false }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

export type InvitationRecord = RecordOf<typeof INVITATIONS>;

/** There is one invitation for each address in a project, and one for its ownership. */
export const subjectOf = (projectId: Id, emailLower: string | null): string =>
  emailLower === null ? `${projectId} owner` : `${projectId} member ${emailLower}`;

/** Neither accepted nor expired. */
export const openAt = (clock: Clock): Filter =>
  and(eq("acceptedBy", null), compare("expiresAt", "gt", timestamp(clock)));

/** The invitation whose link ends with this token, as far as this account may answer it. */
export const byToken = (token: string, accountId: Id): Filter =>
  and(eq("tokenHash", sha256(token)), or(eq("newOwnerId", null), eq("newOwnerId", accountId)));

/** The role that an inviter needs, when they invite and when it is accepted. */
export const leastInviter = ({ role }: { readonly role: Role }): Role =>
  role === "owner" ? "owner" : "admin";

/** Its project, if that is in use and the inviter may still invite to it; null otherwise. */
export async function projectOfInvitation(
  reader: Pick<Transaction, "records">,
  invitation: InvitationRecord,
): Promise<ProjectRecord | null> {
  const { projectId, invitedBy } = invitation;
  const inviter = await reader.records<MemberRecord>(MEMBERS)
    .findOne(eq("member", memberKey(projectId, invitedBy)));
  if (inviter === null || !includes(inviter.value.role, leastInviter(invitation))) return null;
  const project = await reader.records<ProjectRecord>(PROJECTS).get(projectId);
  return project === null || isTrashed(project.value) ? null : project.value;
}

/** An invitation by whose link an account may be registered still; null for none. */
export async function registeringInvitation(
  reader: Pick<Transaction, "records">,
  { clock }: { clock: Clock },
  token: string,
): Promise<Id | null> {
  const unused = and(eq("newOwnerId", null), eq("isRegistered", false), openAt(clock));
  const found = await reader.records<InvitationRecord>(INVITATIONS)
    .findOne(and(eq("tokenHash", sha256(token)), unused));
  if (found === null || await projectOfInvitation(reader, found.value) === null) return null;
  return found.value._id;
}

/** Takes the one registration of an invitation; false where another has it. */
export async function takeRegistration(tx: Transaction, invitationId: Id): Promise<boolean> {
  const taken = await tx.records<InvitationRecord>(INVITATIONS).updateOne(
    and(eq("_id", invitationId), eq("isRegistered", false)),
    { set: { isRegistered: true } },
  );
  return taken !== null;
}

/** Ends the open invitations of a project that this account has made. */
export async function revokeInvitationsBy(
  tx: Transaction,
  projectId: Id,
  accountId: Id,
): Promise<void> {
  const open = and(eq("projectId", projectId), eq("invitedBy", accountId), eq("acceptedBy", null));
  await deleteAll(tx.records<InvitationRecord>(INVITATIONS), open);
}
