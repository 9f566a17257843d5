import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { canonicalEmail, isPlainEmail } from "../emails.ts";
import { findByEmail } from "../store/email_records.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { INVITATION_MS, PENDING_INVITATIONS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import {
  type InvitationRecord,
  INVITATIONS,
  inviterRole,
  isOpenAt,
  subjectOf,
} from "./invitations.ts";
import {
  type GivenRole,
  memberKey,
  type MemberRecord,
  MEMBERS,
  type ProjectMember,
  roleIncludes,
} from "./members.ts";
import { lockProject } from "./ownership.ts";
import { type InvitationDetails, toInvitationDetails } from "./list_invitations.ts";

interface InviteServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: { readonly publicUrl: string };
}

/** A new invitation with its token, of which only the hash is stored. */
export interface SentInvitation extends InvitationDetails {
  readonly token: string;
  readonly url: string;
  readonly mailed: boolean;
}

/** Queues the mail of an invitation in the transaction that creates the invitation. */
export type InvitationMail = (tx: Transaction, url: string) => Promise<void>;

export interface GivenInvitation {
  readonly email: string;
  readonly role: GivenRole;
}

type InvitationDraft = Pick<InvitationRecord, "email" | "role" | "newOwnerId" | "subject">;

const UNKNOWN_ACCOUNT_ID = "0".repeat(24);

/**
 * Any account that opens the link can accept. Replaces an open invitation of the address. Does not
 * reveal whether the address has an account. Throws `INVALID_BODY`, `MEMBER_EXISTS` if a member has
 * the address, and `INVITATION_LIMIT_REACHED`.
 * @param mailFor Resolves to null if no mail can be sent to the address.
 */
export async function inviteMember(
  services: InviteServices,
  inviter: ProjectMember,
  { email: given, role, mailFor }: GivenInvitation & {
    readonly mailFor: (email: string) => Promise<InvitationMail | null>;
  },
): Promise<SentInvitation> {
  const email = given.trim();
  if (!isPlainEmail(email)) {
    throw new Problem("INVALID_BODY", { message: '"email" must be one plain address.' });
  }
  const emailLower = canonicalEmail(email);
  const { _id: projectId } = inviter.project;
  const subject = subjectOf(projectId, emailLower);
  const draft = async (tx: Transaction): Promise<InvitationDraft> => {
    const account = await findByEmail(tx.records<AccountRecord>(ACCOUNTS), email);
    // Always queried, so that the time does not reveal whether the address has an account.
    const member = await tx.records<MemberRecord>(MEMBERS)
      .findOne(eq("member", memberKey(projectId, account?._id ?? UNKNOWN_ACCOUNT_ID)));
    if (member !== null) throw new Problem("MEMBER_EXISTS");
    return { email, role, newOwnerId: null, subject };
  };
  return await sendInvitation(services, inviter, { draft, mail: await mailFor(email) });
}

/**
 * Offers the ownership to a member, who alone can accept. Replaces an open offer. Throws
 * `MEMBER_NOT_FOUND`, `INVALID_BODY` for the owner, and `INVITATION_LIMIT_REACHED`.
 */
export async function offerOwnership(
  services: InviteServices,
  owner: ProjectMember,
  newOwnerId: Id,
): Promise<SentInvitation> {
  const { _id: projectId } = owner.project;
  if (newOwnerId === owner.account.accountId) {
    throw new Problem("INVALID_BODY", { message: "You own this project already." });
  }
  const draft = async (tx: Transaction): Promise<InvitationDraft> => {
    const member = await tx.records<MemberRecord>(MEMBERS)
      .findOne(eq("member", memberKey(projectId, newOwnerId)));
    const account = await tx.records<AccountRecord>(ACCOUNTS).get(newOwnerId);
    if (member === null || account === null) throw new Problem("MEMBER_NOT_FOUND");
    const { email } = account.value;
    return { email, role: "owner", newOwnerId, subject: subjectOf(projectId, null) };
  };
  return await sendInvitation(services, owner, { draft, mail: null });
}

/** Replaces an open invitation with the same subject. @param draft Runs in the transaction. */
async function sendInvitation(
  { engine, clock, newId, config }: InviteServices,
  { project: { _id: projectId }, account: { accountId } }: ProjectMember,
  { draft, mail }: {
    readonly draft: (tx: Transaction) => Promise<InvitationDraft>;
    readonly mail: InvitationMail | null;
  },
): Promise<SentInvitation> {
  const token = randomToken();
  const url = `${config.publicUrl}/dashboard/invitations/${token}`;
  const invitation = await engine.transaction("control", async (tx) => {
    if (await lockProject(tx, projectId) === null) throw new Problem("PROJECT_NOT_FOUND");
    const offered = await draft(tx);
    const inviter = await tx.records<MemberRecord>(MEMBERS)
      .findOne(eq("member", memberKey(projectId, accountId)));
    // The role may have changed since the request was authorized.
    if (inviter === null || !roleIncludes(inviter.value.role, inviterRole(offered))) {
      throw new Problem("ROLE_REQUIRED");
    }
    const invitations = tx.records<InvitationRecord>(INVITATIONS);
    await invitations.deleteMany(eq("subject", offered.subject), 1);
    const open = await invitations.count(and(eq("projectId", projectId), isOpenAt(clock)));
    if (open >= PENDING_INVITATIONS_MAX) throw new Problem("INVITATION_LIMIT_REACHED");
    const invitation = {
      _id: newId(),
      projectId,
      ...offered,
      invitedBy: accountId,
      tokenHash: sha256(token),
      isRegistered: false,
      acceptedBy: null,
      createdAt: timestamp(clock),
      expiresAt: new Date(clock.now() + INVITATION_MS).toISOString(),
    };
    await invitations.insert(invitation);
    await mail?.(tx, url);
    return invitation;
  });
  return { ...toInvitationDetails(invitation), token, url, mailed: mail !== null };
}

/** Throws `INVITATION_NOT_FOUND`, and `ROLE_REQUIRED` unless the owner revokes an offer. */
export async function revokeInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { project, role }: Pick<ProjectMember, "project" | "role">,
  invitationId: Id,
): Promise<void> {
  const invitations = engine.records<InvitationRecord>("control", INVITATIONS);
  const isInvitation = and(eq("_id", invitationId), eq("projectId", project._id), isOpenAt(clock));
  const found = await invitations.findOne(isInvitation);
  if (found === null) throw new Problem("INVITATION_NOT_FOUND");
  if (!roleIncludes(role, inviterRole(found.value))) throw new Problem("ROLE_REQUIRED");
  if (await invitations.deleteOne(isInvitation) === null) throw new Problem("INVITATION_NOT_FOUND");
}
