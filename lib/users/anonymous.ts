import type { ApiKeyPrincipal } from "../projects/api_keys.ts";
import { Problem } from "../problems.ts";
import { noteUserEvent } from "../auth/user_events.ts";
import { newUser, type UserRecord, USERS } from "../auth/users.ts";
import type { UserServices, Visitor } from "./services.ts";
import { fieldsOfNewUser } from "./user_fields.ts";
import { openUserSession, type UserSession, withAccessToken } from "./user_session.ts";

/**
 * Makes a user who tells nothing of themselves, and signs them in. Signing up as them later keeps
 * their id. Throws `SIGN_IN_METHOD_OFF` and `SIGN_UP_CLOSED`.
 */
export async function signInAnonymously(
  services: UserServices,
  { projectId, auth }: ApiKeyPrincipal,
  { device }: Pick<Visitor, "device">,
): Promise<UserSession> {
  if (!auth.anonymous) throw new Problem("SIGN_IN_METHOD_OFF");
  if (auth.signUp === "closed") throw new Problem("SIGN_UP_CLOSED");
  const fields = fieldsOfNewUser(await services.userFields.of(projectId), {}, true);
  const user = newUser(services, { isAnonymous: true, fields });
  const opened = await services.engine.transaction(projectId, async (tx) => {
    await tx.records<UserRecord>(USERS).insert(user);
    await noteUserEvent(tx, services.clock, { event: "created", before: null, after: user });
    return await openUserSession(tx, services, { userId: user._id, device });
  });
  return await withAccessToken(services, projectId, opened);
}
