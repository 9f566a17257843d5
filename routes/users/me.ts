import { changeOwnUser, ownUser } from "@/lib/auth/own_user.ts";
import { shownUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { getMe, patchMe } from "@/openapi/paths/users.ts";
import type { HandlerOf } from "../call.ts";

export const handleGetMe: HandlerOf<typeof getMe> = async ({ services, principal }) => {
  const user = await ownUser(services, principal);
  return ok(200, jsonText(shownUser(user)), "User found");
};

export const handlePatchMe: HandlerOf<typeof patchMe> = async (call) => {
  const user = await changeOwnUser(call.services, call.principal, call.input);
  return ok(200, jsonText(shownUser(user)), "User changed");
};
