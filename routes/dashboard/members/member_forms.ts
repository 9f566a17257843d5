import { requiredId } from "@/lib/ids.ts";
import { inviteMember, offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import { changeRole, removeMember } from "@/lib/projects/manage_members.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Call, Handler } from "../../call.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { MemberInvitation } from "@/openapi/schemas/invitation.ts";
import { RoleChange } from "@/openapi/schemas/project.ts";
import { homeOf } from "../frame.ts";
import { attempt, seeOther } from "../replies.ts";
import { refusedMembers, sentInvitation } from "./members.tsx";

/** What the forms of the members' page do. */

export const inviteByForm: Handler<ProjectMember> = async (call) => {
  const form = await call.form();
  const typed = { email: form.get("email")?.trim() ?? "", role: form.get("role") ?? "" };
  const { services, principal } = call;
  const tried = await attempt(async () =>
    await inviteMember(services, principal, parseInput(MemberInvitation, typed))
  );
  if (tried.problem !== null) {
    return await refusedMembers(call, { typed, problem: tried.problem });
  }
  return await sentInvitation(call, tried.value);
};

export const revokeByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal, param } = call;
  const invitationId = requiredId(param("invitationId"));
  const { problem } = await attempt(() => revokeInvitation(services, principal, invitationId));
  if (problem !== null) return await refusedMembers(call, { invitationId, problem });
  return doneAt(call, "withdrawn");
};

export const changeRoleByForm: Handler<ProjectMember> = async (call) => {
  const role = (await call.form()).get("role") ?? "";
  const { services, principal: { project: { _id: projectId } } } = call;
  return await onMember(
    call,
    "role",
    (accountId) =>
      changeRole(services, projectId, { accountId, ...parseInput(RoleChange, { role }) }),
  );
};

/** Whoever names their own account leaves, and sees the project no more. */
export const removeByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal, param } = call;
  const reply = await onMember(
    call,
    "removed",
    (accountId) => removeMember(services, principal, accountId),
  );
  const hasLeft = reply.status === 303 &&
    requiredId(param("accountId")) === principal.account.accountId;
  return hasLeft ? seeOther("/dashboard?done=left") : reply;
};

export const offerByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal, param } = call;
  const accountId = requiredId(param("accountId"));
  const tried = await attempt(() => offerOwnership(services, principal, accountId));
  if (tried.problem !== null) {
    return await refusedMembers(call, { accountId, problem: tried.problem });
  }
  return await sentInvitation(call, tried.value);
};

/** A browser that stands at what a form was sent to looks for its page above. */
export const leadToMembers: Handler<ProjectMember> = ({ principal: { project } }) =>
  seeOther(`${homeOf(project._id)}/members`);

const doneAt = ({ principal: { project } }: Call<ProjectMember>, done: string) =>
  seeOther(`${homeOf(project._id)}/members?done=${done}`);

/** Does something about the path's member; a refusal stands beside them. */
async function onMember(
  call: Call<ProjectMember>,
  done: string,
  work: (accountId: Id) => Promise<unknown>,
) {
  const accountId = requiredId(call.param("accountId"));
  const { problem } = await attempt(async () => await work(accountId));
  if (problem !== null) return await refusedMembers(call, { accountId, problem });
  return doneAt(call, done);
}
