import type { PasswordQueue } from "@/lib/credentials/password_queue.ts";
import { Problem } from "@/lib/problems.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import type { TestApp, TestProject, TestUser } from "../support/test_app.ts";

const fullQueue: PasswordQueue = {
  run: () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 })),
};

/** Sends a call with the publishable key while the app's password queue is full. */
export const whileBusy = (
  { services }: TestApp,
  { publishableKey }: TestProject,
  call: Call,
  user?: TestUser,
): Promise<Answer> =>
  send(createApp({ ...services, passwordQueue: fullQueue }), {
    ...call,
    headers: {
      ...Object.fromEntries(new Headers(call.headers)),
      "x-api-key": publishableKey,
      ...(user && { authorization: `Bearer ${user.token}` }),
    },
  });
