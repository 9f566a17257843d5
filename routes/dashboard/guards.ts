import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { refuseCrossSite } from "@/lib/http/cross_site.ts";
import type { ProjectMember, Role } from "@/lib/projects/members.ts";
import {
  dashboardSession,
  ownPages,
  requireMember,
  requireSessionAccount,
  type Security,
} from "@/openapi/security.ts";

/** Guards of pages, equal to those of owners' operations except that they also accept forms. */

/** Admits all callers, unless another site has made the request. */
export const visitor: Security<null> = {
  ...ownPages,
  guard(services, request) {
    refuseCrossSite(request.raw, services.config.publicUrl);
    return null;
  },
};

export const session: Security<SignedInAccount> = {
  ...dashboardSession,
  guard: requireSessionAccount,
};

/** Admits members of the path's project whose role includes the given one. */
export const member = (role: Role): Security<ProjectMember<SignedInAccount>> => ({
  ...dashboardSession,
  async guard(services, request, param) {
    const account = await requireSessionAccount(services, request);
    return await requireMember(services, request, { account, role, projectId: param("projectId") });
  },
});
