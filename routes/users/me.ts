import { changeOwnUser, ownUser } from "@/lib/auth/own_user.ts";
import { shownUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { getMe, patchMe } from "@/openapi/paths/users.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetMe: HandlerOf<typeof getMe> = async (c) => {
  const { services, principal } = c.var;
  const user = await ownUser(services, principal);
  return ok(200, jsonText(shownUser(user)), "User found");
};

export const handlePatchMe: HandlerOf<typeof patchMe> = async (c) => {
  const { services, principal } = c.var;
  const user = await changeOwnUser(services, principal, c.req.valid("json"));
  return ok(200, jsonText(shownUser(user)), "User changed");
};
