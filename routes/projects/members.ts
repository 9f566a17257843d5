import { ok } from "@/lib/http/respond.ts";
import { parseId, requiredId } from "@/lib/ids.ts";
import {
  changeRole,
  type GivenRole,
  inviteMember,
  listMembers,
  removeMember,
  transferProject,
} from "@/lib/projects/manage_members.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { shownProject } from "@/lib/projects/shown_project.ts";
import { Problem } from "@/lib/problems.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { isObject, own } from "@/lib/store/shape.ts";
import type { Handler } from "../call.ts";

export const handleListMembers: Handler<ProjectMember> = async (call) => {
  const page = await listMembers(call.services, call.principal.project._id, call.query);
  return ok(200, JSON.stringify(page), "Members listed");
};

export const handleInviteMember: Handler<ProjectMember> = async (call) => {
  const { email, role } = texts(await call.body(), ["email", "role"]);
  const invitation = { email: email, role: givenRole(role) };
  const member = await inviteMember(call.services, call.principal.project._id, invitation);
  return ok(201, JSON.stringify(member), "Member added");
};

export const handleChangeMember: Handler<ProjectMember> = async (call) => {
  const accountId = requiredId(call.param("accountId"));
  const { role } = texts(await call.body(), ["role"]);
  const change = { accountId, role: givenRole(role) };
  const member = await changeRole(call.services, call.principal.project._id, change);
  return ok(200, JSON.stringify(member), "Member changed");
};

export const handleRemoveMember: Handler<ProjectMember> = async (call) => {
  const accountId = requiredId(call.param("accountId"));
  await removeMember(call.services, call.principal, accountId);
  return ok(200, JSON.stringify({ accountId }), "Member removed");
};

export const handleTransferProject: Handler<ProjectMember> = async (call) => {
  const { accountId } = texts(await call.body(), ["accountId"]);
  const { services, principal } = call;
  const moved = await transferProject(services, principal, memberId(accountId));
  const shown = await shownProject(services, moved);
  return ok(200, JSON.stringify(shown), "Project transferred");
};

/** The members of a body that has these texts and nothing else. Throws `INVALID_BODY`. */
function texts<const Name extends string>(
  body: Json,
  names: readonly Name[],
): { readonly [name in Name]: string } {
  const given = isObject(body) ? body : {};
  const fits = names.every((name) => typeof own(given, name) === "string") &&
    Object.keys(given).length === names.length;
  if (!fits) throw misshapen(`Send ${names.map((name) => `"${name}"`).join(" and ")}, as text.`);
  return given as { readonly [name in Name]: string }; // Just looked at.
}

/** Throws `INVALID_BODY`. */
export function givenRole(text: string): GivenRole {
  if (text === "viewer" || text === "admin") return text;
  throw misshapen('"role" must be viewer or admin.');
}

function memberId(text: string): Id {
  const id = parseId(text);
  if (id === null) throw misshapen('"accountId" must be 24 hexadecimal digits.');
  return id;
}

const misshapen = (message: string) => new Problem("INVALID_BODY", { message });
