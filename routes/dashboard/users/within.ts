import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { memberActor, type ProjectMember } from "@/lib/projects/members.ts";
import type { ManagedIn } from "@/lib/users/manage_users.ts";
import type { PageContext } from "../../handler.ts";

/** A member acts on users with the rights of the project's server. */
export const withinOf = (
  { var: { principal, state: { network } } }: PageContext<ProjectMember>,
): ManagedIn => ({
  projectId: principal.project._id,
  actor: memberActor(principal),
  auth: authSettingsOf(principal.project),
  network,
});
