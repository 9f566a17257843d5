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
  leastInviter,
  openAt,
  subjectOf,
} from "./invitations.ts";
import {
  type GivenRole,
  includes,
  memberKey,
  type MemberRecord,
  MEMBERS,
  type ProjectMember,
} from "./members.ts";
import { lockProject } from "./ownership.ts";
import { type ShownInvitation, shownInvitation } from "./shown_invitation.ts";

interface InviteServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: { readonly publicUrl: string };
}

/** An invitation with its link, which is shown this once: only its hash is kept. */
export interface SentInvitation extends ShownInvitation {
  readonly token: string;
  readonly url: string;
  /** Whether a mail with the link is on its way to the address. */
  readonly mailed: boolean;
}

/** Writes a mail with the link of an invitation, in its transaction. */
export type InvitationMail = (tx: Transaction, url: string) => Promise<void>;

/** Whom somebody invites, and as what. */
export interface GivenInvitation {
  readonly email: string;
  readonly role: GivenRole;
}

/** What {@linkcode send} is told of an invitation. */
type Draft = Pick<InvitationRecord, "email" | "role" | "newOwnerId" | "subject">;

/** No account has this id. */
const NOBODY = "0".repeat(24);

/**
 * Offers a part in the project to whoever opens the link. Whether the address has an account makes
 * no difference; an open invitation of the same address is replaced. Throws `INVALID_BODY` for what
 * is no e-mail, `MEMBER_EXISTS` where a member has this address, and `INVITATION_LIMIT_REACHED`.
 * @param mailFor Resolves to null where no mail goes to the address.
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
  const draft = async (tx: Transaction): Promise<Draft> => {
    const account = await findByEmail(tx.records<AccountRecord>(ACCOUNTS), email);
    // Asked either way, so that an address without an account takes as long.
    const member = await tx.records<MemberRecord>(MEMBERS)
      .findOne(eq("member", memberKey(projectId, account?._id ?? NOBODY)));
    if (member !== null) throw new Problem("MEMBER_EXISTS");
    return { email, role, newOwnerId: null, subject };
  };
  return await send(services, inviter, { draft, mail: await mailFor(email) });
}

/**
 * Offers the project to another member, who alone may accept; until then nothing changes. An open
 * offer is replaced. Throws `MEMBER_NOT_FOUND`, `INVALID_BODY` for the owner themself, and
 * `INVITATION_LIMIT_REACHED`.
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
  const draft = async (tx: Transaction): Promise<Draft> => {
    const member = await tx.records<MemberRecord>(MEMBERS)
      .findOne(eq("member", memberKey(projectId, newOwnerId)));
    const account = await tx.records<AccountRecord>(ACCOUNTS).get(newOwnerId);
    if (member === null || account === null) throw new Problem("MEMBER_NOT_FOUND");
    const { email } = account.value;
    return { email, role: "owner", newOwnerId, subject: subjectOf(projectId, null) };
  };
  return await send(services, owner, { draft, mail: null });
}

/** @param draft Decides, within the transaction, what is offered to whom. */
async function send(
  { engine, clock, newId, config }: InviteServices,
  { project: { _id: projectId }, account: { accountId } }: ProjectMember,
  { draft, mail }: {
    readonly draft: (tx: Transaction) => Promise<Draft>;
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
    // Their role may have changed since the request was let in.
    if (inviter === null || !includes(inviter.value.role, leastInviter(offered))) {
      throw new Problem("ROLE_REQUIRED");
    }
    const invitations = tx.records<InvitationRecord>(INVITATIONS);
    await invitations.deleteMany(eq("subject", offered.subject), 1);
    const open = await invitations.count(and(eq("projectId", projectId), openAt(clock)));
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
  return { ...shownInvitation(invitation), token, url, mailed: mail !== null };
}

/**
 * Withdraws an open invitation; the owner alone withdraws the offer of the project. Throws
 * `INVITATION_NOT_FOUND` and `ROLE_REQUIRED`.
 */
export async function revokeInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { project, role }: Pick<ProjectMember, "project" | "role">,
  invitationId: Id,
): Promise<void> {
  const invitations = engine.records<InvitationRecord>("control", INVITATIONS);
  const its = and(eq("_id", invitationId), eq("projectId", project._id), openAt(clock));
  const found = await invitations.findOne(its);
  if (found === null) throw new Problem("INVITATION_NOT_FOUND");
  if (!includes(role, leastInviter(found.value))) throw new Problem("ROLE_REQUIRED");
  if (await invitations.deleteOne(its) === null) throw new Problem("INVITATION_NOT_FOUND");
}
