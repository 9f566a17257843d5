import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Handler } from "./call.ts";

/** A member of a project, as its servers: no row-level security stands in their way. */
interface Server {
  readonly kind: "secret";
  readonly projectId: Id;
}

/** Has the member of the path's project do what the project's secret key does. */
export const asServer = <B>(handle: Handler<Server, B>): Handler<ProjectMember, B> => (call) =>
  handle({ ...call, principal: { kind: "secret", projectId: call.principal.project._id } });
