import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PathParameters } from "@/openapi/inputs.ts";
import type { Handler, Input } from "./call.ts";

/** A member of a project, as its servers: no row-level security stands in their way. */
interface Server {
  readonly kind: "secret";
  readonly projectId: Id;
}

/** Has the member of the path's project do what the project's secret key does. */
export const asServer = <B, N extends PathParameters, Q>(
  handle: Handler<Server, Input<B, N, Q>>,
): Handler<ProjectMember, Input<B, N, Q>> =>
(call) => handle({ ...call, principal: { kind: "secret", projectId: call.principal.project._id } });
