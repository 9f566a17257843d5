import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { memberActor, type ProjectMember } from "@/lib/projects/members.ts";
import type { ManagementContext } from "@/lib/users/manage_users.ts";
import type { PageContext } from "../../handler.ts";

/** Returns the context in which a member manages users, with the rights of the secret key. */
export const userManagement = (
  { var: { principal, state: { network } } }: PageContext<ProjectMember>,
): ManagementContext => ({
  projectId: principal.project._id,
  actor: memberActor(principal),
  auth: authSettingsOf(principal.project),
  network,
});
