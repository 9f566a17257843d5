import { ok } from "@/lib/http/respond.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import type * as projectUsers from "@/openapi/paths/project_users.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetUserFields: HandlerOf<typeof projectUsers.getUserFields> = async (c) => {
  const { services, principal: { project } } = c.var;
  const fields = await services.userFields.of(project._id);
  return ok(200, JSON.stringify({ fields }), "User fields found");
};

export const handleSetUserFields: HandlerOf<typeof projectUsers.setUserFields> = async (c) => {
  const { services, principal: { project } } = c.var;
  const fields = await saveUserFields(services, project._id, c.req.valid("json").fields);
  return ok(200, JSON.stringify({ fields }), "User fields set");
};
