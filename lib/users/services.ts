import type { AccessTokens } from "../auth/access_tokens.ts";
import type { Device, SessionDirectory } from "../auth/sessions.ts";
import type { PasswordQueue } from "../credentials/password_queue.ts";
import type { Passwords } from "../credentials/passwords.ts";
import type { TryServices } from "../credentials/sign_in_attempts.ts";
import type { CodeServices } from "../credentials/codes.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { AdmissionServices } from "../mail/admission.ts";
import type { MailServices } from "../mail/send_mail.ts";
import type { UserFields } from "./user_fields.ts";

export interface UserServices extends CodeServices, TryServices, MailServices, AdmissionServices {
  readonly tokens: AccessTokens;
  readonly sessions: SessionDirectory;
  readonly passwords: Passwords;
  readonly passwordQueue: PasswordQueue;
  readonly userFields: UserFields;
  readonly jobRunner: JobQueue;
}

export interface Visitor {
  readonly device: Device;
  /** The network from which the request came. */
  readonly network: string;
  /** The `Accept-Language` header, which chooses the language of mails. */
  readonly language: string | null;
}
