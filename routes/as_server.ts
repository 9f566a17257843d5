import { type AuthSettings, authSettingsOf } from "@/lib/projects/auth_settings.ts";
import { memberActor, type ProjectMember } from "@/lib/projects/members.ts";
import type { Actor, Id } from "@/lib/store/port.ts";
import type { Handler, OperationContext } from "./handler.ts";

/** A member of a project, as its servers: no row-level security stands in their way. */
interface Server {
  readonly kind: "secret";
  readonly projectId: Id;
  readonly actor: Actor;
  readonly auth: AuthSettings;
  /** All files are theirs to see. */
  readonly ownerId: null;
}

/** Has the member of the path's project do what the project's secret key does. */
export const asServer =
  <I extends object>(handle: Handler<Server, I>): Handler<ProjectMember, I> => (c) => {
    const { project } = c.var.principal;
    const server: Server = {
      kind: "secret",
      projectId: project._id,
      actor: memberActor(c.var.principal),
      auth: authSettingsOf(project),
      ownerId: null,
    };
    c.set("principal", server);
    const behind: OperationContext<unknown, I> = c;
    return handle(behind as OperationContext<Server, I>); // The principal has just been set.
  };
