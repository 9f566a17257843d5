import type { CodeTarget } from "../credentials/codes.ts";
import { isSameMailbox } from "../emails.ts";
import type { JobKind } from "../jobs/jobs.ts";
import { type CodeRequest, codeRequestOf, noteCodeRequest, sendCode } from "../mail/code_mails.ts";
import { type AuthSettings, authSettingsOf } from "../projects/auth_settings.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import type { Id } from "../store/port.ts";
import { findUserByEmail, type UserRecord, USERS } from "../auth/users.ts";
import type { UserServices } from "./services.ts";

/** Has a code sent to one of the project's users. Throws `MAIL_NOT_CONFIGURED`. */
export const requestCode = (
  services: UserServices,
  projectId: Id,
  request: CodeRequest,
): Promise<void> => noteCodeRequest(services, projectId, request, SEND_CODE.name);

/** Sends the code that was asked for, if somebody has the address for whom it is good for something. */
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
    const target = targetOf(authSettingsOf(project), request, holder);
    if (target !== null) await sendCode(services, space, { ...request, ...target, job });
    return null;
  },
};

/** Whom the code is for, and the address as it is kept; null for nobody. */
function targetOf(
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
  // One that only looks like theirs is somebody else's mailbox.
  if (holder.disabled || !isSameMailbox(email, holder.email!)) return null;
  if (purpose === "verify" && holder.emailVerified) return null;
  return { email: holder.email!, subjectId: holder._id };
}
