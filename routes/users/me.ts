import type { SignedInUser } from "@/lib/auth/principals.ts";
import { toPublicProfile } from "@/lib/auth/public_profile.ts";
import {
  changeOwnUser,
  findPublicUser,
  getOwnUser,
  type OwnChanges,
} from "@/lib/users/own_user.ts";
import { toUserDetails } from "@/lib/users/user_details.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { getPublicUser, updateProfile } from "@/openapi/paths/user_email.ts";
import type { getMe, patchMe } from "@/openapi/paths/users.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

export const handleGetMe: HandlerOf<typeof getMe> = async (c) => {
  const { services, principal } = c.var;
  const user = await getOwnUser(services, principal);
  const declared = await services.userFields.ofProject(principal.projectId);
  return ok(200, jsonText(toUserDetails(declared, user)), "User found");
};

export const handlePatchMe: HandlerOf<typeof patchMe> = async (c) => {
  return ok(200, jsonText(await changeCaller(c)), "User changed");
};

export const handleUpdateProfile: HandlerOf<typeof updateProfile> = async (c) => {
  const message = "User changed";
  return ok(200, jsonText({ ...await changeCaller(c), message }), message);
};

async function changeCaller(c: OperationContext<SignedInUser, { json: OwnChanges }>) {
  const { services, principal } = c.var;
  const user = await changeOwnUser(services, principal, c.req.valid("json"));
  return toUserDetails(await services.userFields.ofProject(principal.projectId), user);
}

export const handleGetPublicUser: HandlerOf<typeof getPublicUser> = async (c) => {
  const { services, principal: { projectId } } = c.var;
  const user = await findPublicUser(services, projectId, c.req.valid("param").username);
  const declared = await services.userFields.ofProject(projectId);
  return ok(200, jsonText(toPublicProfile(declared, user)), "User found");
};
