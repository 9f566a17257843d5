/** Users by e-mail over HTTP, as whoever attacks them sees them. */

import { createApp } from "@/routes/app.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";
import { type EmailUser, HEADER_MODE, userCall, userOf } from "../api/user_email.ts";

/** Changes a user as the project's server. */
export const patchUser = (project: TestProject, id: string, body: unknown): Promise<Answer> =>
  project.asSecret({ method: "PATCH", path: `/api/userAuth/users/${id}`, body });

/** A user who has told nothing of themselves. */
export const guestOf = async (project: TestProject): Promise<EmailUser> =>
  userOf(await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)), 201);

/** Sends a call with the publishable key, and reads the answer without looking at its shape. */
export type Knock = (call: Call) => Promise<{ readonly status: number; readonly text: string }>;

/** For what is timed: to check an answer against the document would cost more than the answer. */
export function knocker({ services }: TestApp, { publishableKey }: TestProject): Knock {
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

/** Headers of an answer that tell two of them apart: none that is another one each time. */
export const tellingHeaders = (headers: Headers): [string, string][] =>
  [...headers].filter(([name]) => name !== "x-request-id");
