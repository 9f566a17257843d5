import { ADA, authCall, MINUTE_MS } from "../api/account_email.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { assertAlike } from "./alike.ts";

/** Somebody who wants to know who has an account of the dashboard, and has a clock. */

for (const operation of ["resend-verification", "request-password-reset"]) {
  Deno.test(`enumeration by ${operation}: known and unknown addresses take one time`, async () => {
    await using app = await openTestApp();
    await openAccount(app, { email: ADA });
    const asking = (email: string) => () => app.send(authCall(operation, { email }));
    const settle = async () => {
      await app.services.jobRunner.idle();
      app.clock.advance(60 * MINUTE_MS); // So that each sends a mail that may.
    };
    await assertAlike(asking(ADA), asking("bob@example.com"), { settle });
  });
}
