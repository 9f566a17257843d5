import { inviteByMail } from "@/lib/accounts/mail_invitation.ts";
import { requiredId } from "@/lib/ids.ts";
import { offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import { changeRole, removeMember } from "@/lib/projects/manage_members.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { MemberInvitation } from "@/openapi/schemas/invitation.ts";
import { RoleChange } from "@/openapi/schemas/project.ts";
import { homeOf } from "../frame.ts";
import { attempt, seeOther } from "../replies.ts";
import { refusedMembers, sentInvitation } from "./members.tsx";

/** What the forms of the members' page do. */

export const inviteByForm: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const typed = { email: form.get("email")?.trim() ?? "", role: form.get("role") ?? "" };
  const { services, principal } = c.var;
  const tried = await attempt(async () =>
    await inviteByMail(services, principal, parseInput(MemberInvitation, typed))
  );
  if (tried.problem !== null) {
    return await refusedMembers(c, { typed, problem: tried.problem });
  }
  return await sentInvitation(c, tried.value);
};

export const revokeByForm: PageHandler<ProjectMember, "invitationId"> = async (c) => {
  const { services, principal } = c.var;
  const invitationId = requiredId(c.req.valid("param").invitationId);
  const { problem } = await attempt(() => revokeInvitation(services, principal, invitationId));
  if (problem !== null) return await refusedMembers(c, { invitationId, problem });
  return doneAt(c, "withdrawn");
};

export const changeRoleByForm: PageHandler<ProjectMember, "accountId"> = async (c) => {
  const role = (await c.var.body.form()).get("role") ?? "";
  const { services, principal: { project: { _id: projectId } } } = c.var;
  return await onMember(
    c,
    "role",
    (accountId) =>
      changeRole(services, projectId, { accountId, ...parseInput(RoleChange, { role }) }),
  );
};

/** Whoever names their own account leaves, and sees the project no more. */
export const removeByForm: PageHandler<ProjectMember, "accountId"> = async (c) => {
  const { services, principal } = c.var;
  const reply = await onMember(
    c,
    "removed",
    (accountId) => removeMember(services, principal, accountId),
  );
  const hasLeft = reply.status === 303 &&
    requiredId(c.req.valid("param").accountId) === principal.account.accountId;
  return hasLeft ? seeOther("/dashboard?done=left") : reply;
};

export const offerByForm: PageHandler<ProjectMember, "accountId"> = async (c) => {
  const { services, principal } = c.var;
  const accountId = requiredId(c.req.valid("param").accountId);
  const tried = await attempt(() => offerOwnership(services, principal, accountId));
  if (tried.problem !== null) {
    return await refusedMembers(c, { accountId, problem: tried.problem });
  }
  return await sentInvitation(c, tried.value);
};

/** A browser that stands at what a form was sent to looks for its page above. */
export const leadToMembers: PageHandler<ProjectMember> = (c) =>
  seeOther(`${homeOf(c.var.principal.project._id)}/members`);

const doneAt = (c: PageContext<ProjectMember>, done: string) =>
  seeOther(`${homeOf(c.var.principal.project._id)}/members?done=${done}`);

/** Does something about the path's member; a refusal stands beside them. */
async function onMember(
  c: PageContext<ProjectMember, "accountId">,
  done: string,
  work: (accountId: Id) => Promise<unknown>,
) {
  const accountId = requiredId(c.req.valid("param").accountId);
  const { problem } = await attempt(async () => await work(accountId));
  if (problem !== null) return await refusedMembers(c, { accountId, problem });
  return doneAt(c, done);
}
