import { requiredId } from "@/lib/ids.ts";
import {
  changeRole,
  inviteMember,
  removeMember,
  transferProject,
} from "@/lib/projects/manage_members.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Call, Handler } from "../../call.ts";
import { givenRole } from "../../projects/members.ts";
import { homeOf } from "../frame.ts";
import { attempt, seeOther } from "../replies.ts";
import { refusedMembers } from "./members.tsx";

/** What the forms of the members' page do. */

export const inviteByForm: Handler<ProjectMember> = async (call) => {
  const form = await call.form();
  const invitation = { email: form.get("email")?.trim() ?? "", role: form.get("role") ?? "" };
  const { services, principal: { project: { _id: projectId } } } = call;
  const { problem } = await attempt(async () =>
    await inviteMember(services, projectId, { ...invitation, role: givenRole(invitation.role) })
  );
  if (problem !== null) return await refusedMembers(call, { invitation, problem });
  return doneAt(call, "invited");
};

export const changeRoleByForm: Handler<ProjectMember> = async (call) => {
  const role = (await call.form()).get("role") ?? "";
  const { services, principal: { project: { _id: projectId } } } = call;
  return await onMember(
    call,
    "role",
    (accountId) => changeRole(services, projectId, { accountId, role: givenRole(role) }),
  );
};

/** Whoever names himself leaves, and sees the project no more. */
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

export const transferByForm: Handler<ProjectMember> = async (call) => {
  const { services, principal } = call;
  return await onMember(
    call,
    "transferred",
    (accountId) => transferProject(services, principal, accountId),
  );
};

const doneAt = ({ principal: { project } }: Call<ProjectMember>, done: string) =>
  seeOther(`${homeOf(project._id)}/members?done=${done}`);

/** Does something to the path's member; a refusal stands beside him. */
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
