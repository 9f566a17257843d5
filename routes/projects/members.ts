import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { changeRole, listMembers, removeMember } from "@/lib/projects/manage_members.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../call.ts";
import type { RoleChange } from "@/openapi/schemas/project.ts";
import type { z } from "zod";

export const handleListMembers: Handler<ProjectMember> = async (call) => {
  const page = await listMembers(call.services, call.principal.project._id, call.query);
  return ok(200, JSON.stringify(page), "Members listed");
};

export const handleChangeMember: Handler<ProjectMember, z.infer<typeof RoleChange>> = async (
  call,
) => {
  const accountId = requiredId(call.param("accountId"));
  const change = { accountId, role: call.input.role };
  const member = await changeRole(call.services, call.principal.project._id, change);
  return ok(200, JSON.stringify(member), "Member changed");
};

export const handleRemoveMember: Handler<ProjectMember> = async (call) => {
  const accountId = requiredId(call.param("accountId"));
  await removeMember(call.services, call.principal, accountId);
  return ok(200, JSON.stringify({ accountId }), "Member removed");
};
