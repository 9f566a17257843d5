import type { z } from "zod";
import type { UserChanges } from "@/openapi/schemas/user.ts";
import { changeOwnUser, ownUser } from "@/lib/auth/own_user.ts";
import type { SignedInUser } from "@/lib/auth/principals.ts";
import { shownUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Handler } from "../call.ts";

export const handleGetMe: Handler<SignedInUser> = async ({ services, principal }) => {
  const user = await ownUser(services, principal);
  return ok(200, jsonText(shownUser(user)), "User found");
};

export const handlePatchMe: Handler<SignedInUser, z.infer<typeof UserChanges>> = async (call) => {
  const user = await changeOwnUser(call.services, call.principal, call.input);
  return ok(200, jsonText(shownUser(user)), "User changed");
};
