import type { SignedInUser } from "@/lib/auth/principals.ts";
import { publicProfile } from "@/lib/auth/public_profile.ts";
import { changeOwnUser, type OwnChanges, ownUser, publicUser } from "@/lib/users/own_user.ts";
import { shownUser } from "@/lib/users/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { getPublicUser, updateProfile } from "@/openapi/paths/user_email.ts";
import type { getMe, patchMe } from "@/openapi/paths/users.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

export const handleGetMe: HandlerOf<typeof getMe> = async (c) => {
  const { services, principal } = c.var;
  const user = await ownUser(services, principal);
  const declared = await services.userFields.of(principal.projectId);
  return ok(200, jsonText(shownUser(declared, user)), "User found");
};

export const handlePatchMe: HandlerOf<typeof patchMe> = async (c) => {
  return ok(200, jsonText(await changed(c)), "User changed");
};

export const handleUpdateProfile: HandlerOf<typeof updateProfile> = async (c) => {
  const message = "User changed";
  return ok(200, jsonText({ ...await changed(c), message }), message);
};

async function changed(c: OperationContext<SignedInUser, { json: OwnChanges }>) {
  const { services, principal } = c.var;
  const user = await changeOwnUser(services, principal, c.req.valid("json"));
  return shownUser(await services.userFields.of(principal.projectId), user);
}

export const handleGetPublicUser: HandlerOf<typeof getPublicUser> = async (c) => {
  const { services, principal: { projectId } } = c.var;
  const user = await publicUser(services, projectId, c.req.valid("param").username);
  const declared = await services.userFields.of(projectId);
  return ok(200, jsonText(publicProfile(declared, user)), "User found");
};
