import { ADA, authCall, MINUTE_MS } from "../api/account_email.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { assertAlike } from "./alike.ts";

/** Attacks that find accounts of the dashboard by measuring response times. */

for (const operation of ["resend-verification", "request-password-reset"]) {
  Deno.test(`enumeration by ${operation}: existing and unknown addresses take equal time`, async () => {
    await using app = await openTestApp();
    await openAccount(app, { email: ADA });
    const asking = (email: string) => () => app.send(authCall(operation, { email }));
    const settle = async () => {
      await app.services.jobRunner.idle();
      app.clock.advance(60 * MINUTE_MS); // Resets the limit so that each request may send a mail.
    };
    await assertAlike(asking(ADA), asking("bob@example.com"), { settle });
  });
}
