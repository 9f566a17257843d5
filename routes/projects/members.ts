import { ok } from "@/lib/http/respond.ts";
import { changeRole, listMembers, removeMember } from "@/lib/projects/manage_members.ts";
import type { MEMBERS } from "@/openapi/paths/members.ts";
import type { HandlersOf } from "../handler.ts";

export const members: HandlersOf<typeof MEMBERS> = {
  listMembers: async (c) => {
    const { services, principal } = c.var;
    const query = c.req.valid("query");
    const page = await listMembers(services, principal.project._id, query);
    return ok(200, JSON.stringify(page), "Members listed");
  },

  changeMember: async (c) => {
    const { services, principal } = c.var;
    const { accountId } = c.req.valid("param");
    const { role } = c.req.valid("json");
    const member = await changeRole(services, principal.project._id, { accountId, role });
    return ok(200, JSON.stringify(member), "Member changed");
  },

  removeMember: async (c) => {
    const { services, principal } = c.var;
    const { accountId } = c.req.valid("param");
    await removeMember(services, principal, accountId);
    return ok(200, JSON.stringify({ accountId }), "Member removed");
  },
};
