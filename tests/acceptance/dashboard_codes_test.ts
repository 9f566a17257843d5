import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import { assertAccessible, openDashboardBrowser, register } from "../support/dashboard_browser.ts";
import { type ReceivedMail, startSmtpServer } from "../support/smtp_server.ts";

const NEXT_PASSWORD = "eight dry leaves 52";

function linkIn({ text }: ReceivedMail): { link: string; code: string } {
  const [link, code] = /http\S+#code=(\d{6})/.exec(text)!;
  return { link, code: code! };
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  browserTest(
    `${how}: a password is reset with the mailed code, by keyboard only`,
    async () => {
      await using mails = await startSmtpServer();
      const settings = { MAIL_URL: mails.url, MAIL_FROM: "no-reply@corbel.example" };
      await using dashboard = await openDashboardBrowser({
        settings: { ...settings, RATE_LIMITS: "off" },
      });
      const owner = await dashboard.person({ javaScriptEnabled });
      const email = await register(dashboard, owner);
      await mails.next(email);

      const page = await dashboard.person({ javaScriptEnabled });
      await page.goto(`${dashboard.origin}/dashboard/sign-in`);
      await page.getByRole("link", { name: "Forgot your password?" }).press("Enter");
      await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
      await page.getByLabel("E-mail").fill(email);
      await page.keyboard.press("Enter");
      await page.getByText(/a code is on its way/).waitFor();
      const { link, code } = linkIn(await mails.next(email));

      await page.goto(link);
      const field = page.getByLabel("Code");
      if (javaScriptEnabled) {
        assert.equal(await field.inputValue(), code);
        assert.equal(new URL(page.url()).hash, "", "the code is not in the history");
        assert.equal(await page.evaluate("document.activeElement.name"), "newPassword");
        await assertAccessible(page);
      } else {
        assert.equal(await field.inputValue(), "");
        await field.fill(code);
      }
      await page.getByLabel("New password").fill(NEXT_PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByText(/Your password is set/).waitFor();

      await owner.reload();
      await owner.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(NEXT_PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
      await page.goto(`${dashboard.origin}/dashboard/account`);
      await page.getByText("verified", { exact: true }).waitFor();
    },
  );

  browserTest(
    `${how}: an e-mail is verified by the link of the registration mail`,
    async () => {
      await using mails = await startSmtpServer();
      const settings = { MAIL_URL: mails.url, MAIL_FROM: "no-reply@corbel.example" };
      await using dashboard = await openDashboardBrowser({ settings });
      const page = await dashboard.person({ javaScriptEnabled });
      const email = await register(dashboard, page);
      const { link, code } = linkIn(await mails.next(email));
      await page.goto(`${dashboard.origin}/dashboard/account`);
      await page.getByText("not verified", { exact: true }).waitFor();
      // The link opens in a tab that already shows its page.
      await page.goto(link.slice(0, link.indexOf("#")));
      await page.goto(link);
      if (!javaScriptEnabled) await page.getByLabel("Code").fill(code);
      assert.equal(await page.getByLabel("Code").inputValue(), code);
      await page.getByRole("button", { name: "Verify" }).press("Enter");
      await page.getByText("Your e-mail is verified.").waitFor();
      await page.getByText("verified", { exact: true }).waitFor();
    },
  );
}
