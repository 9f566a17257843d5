import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Filter, Id, Transaction } from "../store/port.ts";
import { memberKey, type MemberRecord, MEMBERS, type Role, roleIncludes } from "./members.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Invitations of members, and offers of the ownership. Stored in the control space. */
export const INVITATIONS = recordKind({
  name: "invitations",
  fields: {
    projectId: field.ref,
    /** The address as the inviter typed it. Any account with the link can accept. */
    email: field.text,
    /** The role of the new member; `owner` for an offer of the ownership. */
    role: field.oneOf<Role>(),
    /** The inviter. An invitation can be accepted only while the inviter may invite. */
    invitedBy: field.ref,
    /** The member who may accept an offer of the ownership; null for other invitations. */
    newOwnerId: nullable(field.ref),
    /** SHA-256 of the token at the end of the link. */
    tokenHash: field.text,
    /** Unique, see {@linkcode subjectOf}: a new invitation replaces one with the same subject. */
    subject: field.text,
    /** Whether an account was registered with the link, which is possible once. */
    isRegistered: field.flag,
    /** Null while open. Kept so that a repeated request succeeds. */
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

/** Returns the key of an address in a project, or of the project's ownership for null. */
export const subjectOf = (projectId: Id, emailLower: string | null): string =>
  emailLower === null ? `${projectId} owner` : `${projectId} member ${emailLower}`;

export const isOpenAt = (clock: Clock): Filter =>
  and(eq("acceptedBy", null), compare("expiresAt", "gt", timestamp(clock)));

/** Matches only if this account may answer the invitation. */
export const hasToken = (token: string, accountId: Id): Filter =>
  and(eq("tokenHash", sha256(token)), or(eq("newOwnerId", null), eq("newOwnerId", accountId)));

/** The inviter needs this role both to invite and when the invitation is accepted. */
export const inviterRole = ({ role }: { readonly role: Role }): Role =>
  role === "owner" ? "owner" : "admin";

/** Returns null if the project is in the trash or the inviter may no longer invite. */
export async function projectOfInvitation(
  reader: Pick<Transaction, "records">,
  invitation: InvitationRecord,
): Promise<ProjectRecord | null> {
  const { projectId, invitedBy } = invitation;
  const inviter = await reader.records<MemberRecord>(MEMBERS)
    .findOne(eq("member", memberKey(projectId, invitedBy)));
  if (inviter === null || !roleIncludes(inviter.value.role, inviterRole(invitation))) return null;
  const project = await reader.records<ProjectRecord>(PROJECTS).get(projectId);
  return project === null || isTrashed(project.value) ? null : project.value;
}

/** Returns the id of an open invitation that can still register an account. */
export async function findUnusedInvitation(
  reader: Pick<Transaction, "records">,
  { clock }: { clock: Clock },
  token: string,
): Promise<Id | null> {
  const unused = and(eq("newOwnerId", null), eq("isRegistered", false), isOpenAt(clock));
  const found = await reader.records<InvitationRecord>(INVITATIONS)
    .findOne(and(eq("tokenHash", sha256(token)), unused));
  if (found === null || await projectOfInvitation(reader, found.value) === null) return null;
  return found.value._id;
}

/** Returns false if the registration was already used. */
export async function claimRegistration(tx: Transaction, invitationId: Id): Promise<boolean> {
  const taken = await tx.records<InvitationRecord>(INVITATIONS).updateOne(
    and(eq("_id", invitationId), eq("isRegistered", false)),
    { set: { isRegistered: true } },
  );
  return taken !== null;
}

export async function revokeInvitationsBy(
  tx: Transaction,
  projectId: Id,
  accountId: Id,
): Promise<void> {
  const open = and(eq("projectId", projectId), eq("invitedBy", accountId), eq("acceptedBy", null));
  await deleteAll(tx.records<InvitationRecord>(INVITATIONS), open);
}
