import { IDENTITIES } from "@/lib/auth/identities.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { CODES, SENDINGS, WRONG_CODES } from "@/lib/credentials/codes.ts";
import { countInWindow } from "@/lib/credentials/counted_windows.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { WRONG_CODES_PER_HOUR } from "@/lib/limits.ts";
import { MAILS } from "@/lib/mail/mails.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition, Id, Space } from "@/lib/store/port.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import { countIn } from "../support/counted.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import type { TestApp, TestProject, TestUser } from "../support/test_app.ts";
import { PASSWORD } from "../support/test_services.ts";
import { assertUnchanged } from "../support/assert_unchanged.ts";
import { ok } from "./test_collection.ts";

export { PASSWORD };

export const NEXT_PASSWORD = "eight dry leaves 52";

export const ADA = "ada@example.com";

export const MINUTE_MS = 60_000;

/** Returns a call of an operation below `/api/userAuth`, by default a POST. */
export const userCall = (
  operation: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Call => ({
  method: "POST",
  path: `/api/userAuth/${operation}`,
  ...(body !== undefined && { body }),
  headers,
});

export const HEADER_MODE = { "x-refresh-token-mode": "header" };

export async function authProject(
  app: TestApp,
  auth: Partial<AuthSettings> = {},
  options: { siteUrl?: string } = {},
): Promise<TestProject> {
  const project = await app.project(options);
  await setAuth(app, project, auth);
  return project;
}

export async function setAuth(
  { services }: TestApp,
  { projectId }: TestProject,
  auth: Partial<AuthSettings>,
): Promise<void> {
  await changeProject(services, projectId, { auth });
}

export async function declareFields(
  { services }: TestApp,
  { projectId }: TestProject,
  ...fields: { readonly [member: string]: unknown }[]
): Promise<void> {
  await saveUserFields(services, projectId, fields);
}

/** A user who has signed up or in, with what the response contained. */
export interface EmailUser extends TestUser {
  readonly email: string;
  readonly refreshToken: string;
}

export function userOf(answer: Answer, status: 200 | 201 = 200): EmailUser {
  const { userId, accessToken, refreshToken, user } = ok(answer, status);
  return { id: userId, token: accessToken, refreshToken, email: user.email };
}

/** Signs up, by default with {@linkcode PASSWORD}. */
export async function signUp(
  project: TestProject,
  given: { readonly [member: string]: unknown } = {},
  bearer?: TestUser,
): Promise<EmailUser> {
  const body = { email: `${crypto.randomUUID()}@example.com`, password: PASSWORD, ...given };
  return userOf(await project.asPublic(userCall("signup", body, HEADER_MODE), bearer), 201);
}

export const logIn = (
  project: TestProject,
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = HEADER_MODE,
): Promise<Answer> => project.asPublic(userCall("login", { email, password }, headers));

export const CODE_REQUESTS = [
  "code/request",
  "request-password-reset",
  "resend-verification-otp",
] as const;

/** Requests a code and reads it from the mail. Advances the clock, so that a code may be sent. */
export async function requestCode(
  app: TestApp,
  project: TestProject,
  operation: typeof CODE_REQUESTS[number],
  email: string,
): Promise<string> {
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  ok(await project.asPublic(userCall(operation, { email })));
  return await codeTo(app.services, project.projectId, email);
}

/** Counts as many wrong codes as leave `left` of the limit per hour. */
export async function enterWrongCodes(
  { services }: TestApp,
  space: Space,
  left: number,
): Promise<void> {
  const window = {
    space,
    definition: WRONG_CODES,
    key: "wrong codes",
    max: WRONG_CODES_PER_HOUR,
    windowMs: 60 * MINUTE_MS,
  };
  for (let i = left; i < WRONG_CODES_PER_HOUR; i++) await countInWindow(services, window);
}

export const wrongCode = (code: string): string => code === "000000" ? "000001" : "000000";

/** Returns the stored users of a project, oldest first. */
export async function storedUsers(
  { services }: TestApp,
  { projectId }: TestProject,
): Promise<UserRecord[]> {
  return await Array.fromAsync(
    services.engine.records<UserRecord>(projectId, USERS).find({ filter: ALL }),
  );
}

export async function storedUser(
  { services }: TestApp,
  { projectId }: TestProject,
  id: Id,
): Promise<UserRecord> {
  return (await services.engine.records<UserRecord>(projectId, USERS).get(id))!.value;
}

export const countOf = (
  { services }: TestApp,
  { projectId }: TestProject,
  definition: Definition,
): Promise<number> => countIn(services, projectId, definition);

const TRACES: readonly Definition[] = [
  USERS,
  IDENTITIES,
  SESSIONS,
  REFRESH_TOKENS,
  CODES,
  SENDINGS,
  MAILS,
  JOBS,
];

/**
 * Fails if `work` changes users, sessions, codes or mails.
 * @param but Kinds that may change, such as counted attempts.
 */
export async function assertTraceless(
  app: TestApp,
  project: TestProject,
  work: () => Promise<void>,
  but: readonly Definition[] = [],
): Promise<void> {
  const kinds = TRACES.filter((definition) => !but.includes(definition));
  await assertUnchanged(app.services, { space: project.projectId, kinds }, work);
}

/** Returns the claims of a JWT without verifying its signature. */
// deno-lint-ignore no-explicit-any -- Tests look at claims of every kind.
export const claimsOf = (token: string): any =>
  JSON.parse(
    new TextDecoder().decode(
      Uint8Array.fromBase64(token.split(".")[1]!, { alphabet: "base64url" }),
    ),
  );

/** Kinds and recipients of a project's mails, oldest first. */
export const sentMails = async (
  { services }: TestApp,
  { projectId }: TestProject,
): Promise<[kind: string, to: string][]> =>
  (await mailsOf(services, projectId)).map(({ kind, to }) => [kind, to]);
