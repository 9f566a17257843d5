/** E-mail users over HTTP, from an attacker's point of view. */

import { createApp } from "@/routes/app.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";
import { ok } from "../api/test_collection.ts";
import {
  type EmailUser,
  HEADER_MODE,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  signUp,
  userCall,
  userOf,
} from "../api/user_email.ts";

export const patchUser = (project: TestProject, id: string, body: unknown): Promise<Answer> =>
  project.asSecret({ method: "PATCH", path: `/api/userAuth/users/${id}`, body });

export const createGuest = async (project: TestProject): Promise<EmailUser> =>
  userOf(await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)), 201);

/** Sends a call with the publishable key and returns the response without validating it. */
export type SendRaw = (call: Call) => Promise<{ readonly status: number; readonly text: string }>;

/** Returns a function for timed calls, because validating a response would take too long. */
export function rawSender({ services }: TestApp, { publishableKey }: TestProject): SendRaw {
  const app = createApp(services);
  return async ({ method = "POST", path, body, headers }) => {
    const request = new Request(`http://localhost:8000${path}`, {
      method,
      headers: { "content-type": "application/json", "x-api-key": publishableKey, ...headers },
      body: JSON.stringify(body),
    });
    const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    return { status: response.status, text: await response.text() };
  };
}

/** Returns the response headers that are not different for each response. */
export const comparableHeaders = (headers: Headers): [string, string][] =>
  [...headers].filter(([name]) => name !== "x-request-id");

/** Users of every kind, by address. Requests use {@linkcode TRIED_PASSWORD}. */
export const KNOWN = {
  unverified: "known@example.com",
  verified: "verified@example.com",
  disabled: "disabled@example.com",
  "without a password": "bare@example.com",
} as const;
export const UNKNOWN = "nobody@example.com";

/** The password of the disabled user, and a wrong one for all others. */
export const TRIED_PASSWORD = NEXT_PASSWORD;

/** Creates the users of {@linkcode KNOWN}, to each of whom a mail may be sent again. */
export async function createPeople(app: TestApp, project: TestProject): Promise<void> {
  const create = async (body: Record<string, unknown>) =>
    void ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
  await signUp(project, { email: KNOWN.unverified });
  await create({ email: KNOWN.verified, emailVerified: true, password: PASSWORD });
  await create({ email: KNOWN.disabled, disabled: true, password: TRIED_PASSWORD });
  await create({ email: KNOWN["without a password"] });
  app.clock.advance(2 * MINUTE_MS);
}

interface AddressRequest {
  ask(email: string): Call;
  readonly status: number;
}

/** Requests with an address of which nothing else is known. */
export const ADDRESS_REQUESTS = {
  "login": {
    ask: (email) => userCall("login", { email, password: TRIED_PASSWORD }),
    status: 401,
  },
  "code/request": { ask: (email) => userCall("code/request", { email }), status: 200 },
  "code/verify": {
    ask: (email) => userCall("code/verify", { email, otp: "123456" }),
    status: 400,
  },
  "request-password-reset": {
    ask: (email) => userCall("request-password-reset", { email }),
    status: 200,
  },
  "reset-password": {
    ask: (email) =>
      userCall("reset-password", { email, otp: "123456", newPassword: TRIED_PASSWORD }),
    status: 400,
  },
  "resend-verification-otp": {
    ask: (email) => userCall("resend-verification-otp", { email }),
    status: 200,
  },
  "verify-email": {
    ask: (email) => userCall("verify-email", { email, otp: "123456" }),
    status: 400,
  },
} as const satisfies Readonly<Record<string, AddressRequest>>;
