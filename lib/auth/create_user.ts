import type { Clock } from "../clock.ts";
import { isPlainEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { rejectTakenForms } from "../store/email_records.ts";
import { UniqueViolation } from "../store/errors.ts";
import { OPERATOR } from "../store/changes.ts";
import type { Engine, Id } from "../store/port.ts";
import { recordUserEvent } from "./user_events.ts";
import { createUserRecord, type UserRecord, USERS } from "./users.ts";

/** Creates a user for the command line. Throws `INVALID_INPUT` and `EMAIL_TAKEN`. */
export async function createUser(
  { engine, clock, newId }: { engine: Engine; clock: Clock; newId: NewId },
  projectId: Id,
  given: { email: string; verified: boolean },
): Promise<Id> {
  const email = given.email.trim();
  if (!isPlainEmail(email)) {
    throw new Problem("INVALID_INPUT", { message: "The e-mail must be one plain address." });
  }
  const user = createUserRecord({ clock, newId }, { email, emailVerified: given.verified });
  try {
    await engine.transaction(projectId, async (tx) => {
      const users = tx.records<UserRecord>(USERS);
      await rejectTakenForms(users, email, user._id);
      await users.insert(user);
      const event = { event: "created", before: null, after: user, actor: OPERATOR } as const;
      await recordUserEvent(tx, clock, event);
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("EMAIL_TAKEN", { cause: error });
    throw error;
  }
  return user._id;
}
