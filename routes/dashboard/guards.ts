import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { refuseCrossSite } from "@/lib/http/cross_site.ts";
import type { ProjectMember, Role } from "@/lib/projects/members.ts";
import {
  accountOf,
  dashboardSession,
  memberAt,
  ownPages,
  type Security,
} from "@/openapi/security.ts";

/** As the guards of the operations of owners; forms are taken, too. */

/** Anybody, by a request that no other site has made. */
export const visitor: Security<null> = {
  ...ownPages,
  guard(services, request) {
    refuseCrossSite(request.raw, services.config.publicUrl);
    return null;
  },
};

/** An account that is signed in. */
export const session: Security<SignedInAccount> = { ...dashboardSession, guard: accountOf };

/** A member of the path's project whose role includes this one. */
export const member = (role: Role): Security<ProjectMember<SignedInAccount>> => ({
  ...dashboardSession,
  async guard(services, request, param) {
    const account = await accountOf(services, request);
    return await memberAt(services, request, { account, role, projectId: param("projectId") });
  },
});
