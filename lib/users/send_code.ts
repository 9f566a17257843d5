import type { CodeTarget } from "../credentials/codes.ts";
import { isSameMailbox } from "../emails.ts";
import type { JobKind } from "../jobs/jobs.ts";
import { type CodeRequest, codeRequestOf, sendCode, storeCodeRequest } from "../mail/code_mails.ts";
import { type AuthSettings, authSettingsOf } from "../projects/auth_settings.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import type { Id } from "../store/port.ts";
import { findUserByEmail, type UserRecord, USERS } from "../auth/users.ts";
import type { UserServices } from "./services.ts";

/** Requests a code for one of the project's users. Throws `MAIL_NOT_CONFIGURED`. */
export const requestCode = (
  services: UserServices,
  projectId: Id,
  request: CodeRequest,
): Promise<void> => storeCodeRequest(services, projectId, request, SEND_CODE.name);

/** Sends a requested code if a user has the address and can use the code. */
export const SEND_CODE: JobKind<UserServices> = {
  name: "sendCode",
  atOnce: 4,
  async run(services, space, job) {
    const request = codeRequestOf(job);
    const project = (await services.engine.records<ProjectRecord>("control", PROJECTS).get(space))
      ?.value;
    if (project === undefined || isTrashed(project)) return null;
    const users = services.engine.records<UserRecord>(space, USERS);
    const holder = await findUserByEmail(users, request.email);
    const target = findCodeTarget(authSettingsOf(project), request, holder);
    if (target !== null) await sendCode(services, space, { ...request, ...target, job });
    return null;
  },
};

/** Returns the user and the stored address for a code, or null if none must be sent. */
function findCodeTarget(
  { signUp, emailCode }: AuthSettings,
  { purpose, email, userId }: CodeRequest,
  holder: UserRecord | null,
): CodeTarget | null {
  if (purpose === "emailChange") {
    return holder === null || holder._id === userId ? { email, subjectId: userId! } : null;
  }
  if (purpose === "code" && !emailCode) return null;
  if (holder === null) {
    return purpose === "code" && signUp === "open" ? { email, subjectId: null } : null;
  }
  // An address that only looks similar is another person's mailbox.
  if (holder.disabled || !isSameMailbox(email, holder.email!)) return null;
  if (purpose === "verify" && holder.emailVerified) return null;
  return { email: holder.email!, subjectId: holder._id };
}
