import { authSettingsOf } from "@/lib/projects/auth_settings.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { ManagedIn } from "@/lib/users/manage_users.ts";
import type { PageContext } from "../../handler.ts";

/** A member acts on users with the rights of the project's server. */
export const withinOf = (
  { var: { principal: { project, account }, state: { network } } }: PageContext<ProjectMember>,
): ManagedIn => ({
  projectId: project._id,
  actor: { kind: "member", id: account.accountId },
  auth: authSettingsOf(project),
  network,
});
