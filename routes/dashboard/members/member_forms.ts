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
import { invitationReply, refusedMembersReply } from "./members.tsx";

export const inviteByForm: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const typed = { email: form.get("email")?.trim() ?? "", role: form.get("role") ?? "" };
  const { services, principal } = c.var;
  const result = await attempt(async () =>
    await inviteByMail(services, principal, parseInput(MemberInvitation, typed))
  );
  if (result.problem !== null) {
    return await refusedMembersReply(c, { typed, problem: result.problem });
  }
  return await invitationReply(c, result.value);
};

export const revokeByForm: PageHandler<ProjectMember, "invitationId"> = async (c) => {
  const { services, principal } = c.var;
  const invitationId = requiredId(c.req.valid("param").invitationId);
  const { problem } = await attempt(() => revokeInvitation(services, principal, invitationId));
  if (problem !== null) return await refusedMembersReply(c, { invitationId, problem });
  return redirectDone(c, "withdrawn");
};

export const changeRoleByForm: PageHandler<ProjectMember, "accountId"> = async (c) => {
  const role = (await c.var.body.form()).get("role") ?? "";
  const { services, principal: { project: { _id: projectId } } } = c.var;
  return await attemptOnMember(
    c,
    "role",
    (accountId) =>
      changeRole(services, projectId, { accountId, ...parseInput(RoleChange, { role }) }),
  );
};

/** Removes a member. Members who remove themselves are redirected to the projects. */
export const removeByForm: PageHandler<ProjectMember, "accountId"> = async (c) => {
  const { services, principal } = c.var;
  const reply = await attemptOnMember(
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
  const result = await attempt(() => offerOwnership(services, principal, accountId));
  if (result.problem !== null) {
    return await refusedMembersReply(c, { accountId, problem: result.problem });
  }
  return await invitationReply(c, result.value);
};

/** Redirects a GET of a form's address to the members' page. */
export const redirectToMembers: PageHandler<ProjectMember> = (c) =>
  seeOther(`${homeOf(c.var.principal.project._id)}/members`);

const redirectDone = (c: PageContext<ProjectMember>, done: string) =>
  seeOther(`${homeOf(c.var.principal.project._id)}/members?done=${done}`);

/** Changes the path's member. A problem is shown next to the member. */
async function attemptOnMember(
  c: PageContext<ProjectMember, "accountId">,
  done: string,
  work: (accountId: Id) => Promise<unknown>,
) {
  const accountId = requiredId(c.req.valid("param").accountId);
  const { problem } = await attempt(async () => await work(accountId));
  if (problem !== null) return await refusedMembersReply(c, { accountId, problem });
  return redirectDone(c, done);
}
