import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ExampleSite, openExampleSite, refreshCookieOf } from "../attacks/example_site.ts";
import { browserTest } from "../support/browser.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { admin } from "./server.ts";
import { until } from "./until.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a difference engine";
const NEXT_PASSWORD = "an analytical engine";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function submitPassword(
  page: Page,
  password: string,
  name: "Sign in" | "Sign up",
  email = EMAIL,
): Promise<void> {
  await page.getByLabel("E-mail", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await button(page, name).click();
}

async function signOut(page: Page): Promise<void> {
  await button(page, "Sign out").click();
  await button(page, "Sign up").waitFor();
}

const waitForStatus = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).waitFor();

async function isVerified({ fixture, project }: ExampleSite, email = EMAIL): Promise<boolean> {
  const users = await fixture.users(project);
  return users.find((user) => user.email === email)!.emailVerified as boolean;
}

async function requireVerifiedEmail({ fixture, project }: ExampleSite, isOn: boolean) {
  await admin(
    ["project", "set", "--project", project.projectId, "--file", "-"],
    fixture.server.settings,
    JSON.stringify({ auth: { requireVerifiedEmail: isOn } }),
  );
}

async function waitUntilVerificationIsOff({ fixture, project }: ExampleSite): Promise<void> {
  const body = { email: "carol@example.com", password: PASSWORD };
  const path = "/api/userAuth/users";
  const { status } = await fixture.send({ path, key: project.secretKey, body });
  assert.equal(status, 201);
  await until("the setting is in effect", async () => {
    const call = { path: "/api/userAuth/login", key: project.publishableKey, body };
    return (await fixture.send(call)).status === 200;
  });
}

browserTest(
  "the example signs up, verifies, signs in, resets a password and signs in by a code",
  async (t) => {
    await using mails = await startSmtpServer();
    const settings = { MAIL_URL: mails.url, MAIL_FROM: "notes@example.com" };
    await using site = await openExampleSite(settings);
    const { fixture, project } = site;
    await requireVerifiedEmail(site, true);
    const person = await site.person();
    const { page } = person;
    await page.goto(project.siteUrl);

    async function nextMail(purpose: string) {
      const { text } = await mails.next(EMAIL);
      const code = fixture.secret(/\b\d{6}\b/.exec(text)![0]);
      const link = new URL(/https:\S+/.exec(text)![0]);
      assert.equal(`${link.origin}${link.pathname}`, `${project.siteUrl}/auth/verify`);
      assert.deepEqual(Object.fromEntries(link.searchParams), { purpose, email: EMAIL });
      assert.equal(link.hash, `#code=${code}`);
      return { code, link: link.href };
    }

    await t.step("signing up asks for the mailed code and starts no session", async () => {
      await submitPassword(page, PASSWORD, "Sign up");
      await page.getByText(`sent to ${EMAIL}`).waitFor();
      assert.equal(await refreshCookieOf(person, project), null);
      assert.equal(await isVerified(site), false);
    });

    await t.step("a missing or wrong code signs no user in", async () => {
      await button(page, "Not now").click();
      await submitPassword(page, PASSWORD, "Sign in");
      await page.getByText(`sent to ${EMAIL}`).waitFor();
      await page.getByLabel("Code", { exact: true }).fill("000000");
      await button(page, "Verify").click();
      await waitForStatus(page, "The code is not valid");
      assert.equal(await refreshCookieOf(person, project), null);
      assert.equal(await isVerified(site), false);
    });

    await t.step(
      "the mail's link fills in the code, does not use it up, and leaves no history entry",
      async () => {
        const { code, link } = await nextMail("verify");
        // Some mail programs open links before people do.
        const scanner = await site.person();
        await scanner.page.goto(link);
        await button(scanner.page, "Verify").waitFor();
        await scanner.context.close();
        await page.goto(link);
        assert.equal(await page.getByLabel("Code", { exact: true }).inputValue(), code);
        assert.equal(page.url(), `${project.siteUrl}/`);
        assert.equal(await isVerified(site), false);
        // Without a session, the password proves who signed up.
        await page.getByLabel("Your password, if you signed up with one").fill(PASSWORD);
        await button(page, "Verify").click();
        await waitForStatus(page, "Your e-mail is verified.");
        assert.equal(await isVerified(site), true);
      },
    );

    await t.step("the password signs in, and a reload restores the session", async () => {
      await submitPassword(page, "not this one", "Sign in");
      await waitForStatus(page, "The e-mail or the password is not right.");
      await submitPassword(page, PASSWORD, "Sign in");
      await page.locator("#email", { hasText: EMAIL }).waitFor();
      fixture.secret(await refreshCookieOf(person, project));
      await page.reload();
      await page.getByText("None yet.").waitFor();
      fixture.secret(await refreshCookieOf(person, project));
      const stored = await page.evaluate<string>("JSON.stringify({ ...localStorage })");
      const mark = `corbel ${fixture.publicUrl} ${project.publishableKey}`;
      assert.deepEqual(JSON.parse(stored), { [mark]: "signed in" });
      await signOut(page);
    });

    await t.step(
      "a code resets a forgotten password, and the old one is refused",
      async () => {
        await page.getByLabel("E-mail", { exact: true }).fill(EMAIL);
        await button(page, "I forgot my password").click();
        await waitForStatus(page, "If a user has this e-mail, a code is on its way.");
        const { code } = await nextMail("resetPassword");
        await page.getByLabel("Code", { exact: true }).fill(code);
        await page.getByLabel("New password").fill(NEXT_PASSWORD);
        await button(page, "Set the password").click();
        await waitForStatus(page, "Your new password is set: sign in with it.");
        assert.equal(await refreshCookieOf(person, project), null);
        await submitPassword(page, PASSWORD, "Sign in");
        await waitForStatus(page, "The e-mail or the password is not right.");
        await submitPassword(page, NEXT_PASSWORD, "Sign in");
        await page.locator("#email", { hasText: EMAIL }).waitFor();
        fixture.secret(await refreshCookieOf(person, project));
        await signOut(page);
      },
    );

    await t.step("a code alone signs in", async () => {
      await page.getByLabel("E-mail", { exact: true }).fill(EMAIL);
      await button(page, "E-mail me a code instead").click();
      const { code } = await nextMail("code");
      await page.getByLabel("Code", { exact: true }).fill(` ${code} `);
      await button(page, "Sign in").click();
      await page.locator("#email", { hasText: EMAIL }).waitFor();
      fixture.secret(await refreshCookieOf(person, project));
      await signOut(page);
    });

    await t.step(
      "without required verification, signing up signs in and the code can be entered later",
      async () => {
        await requireVerifiedEmail(site, false);
        await waitUntilVerificationIsOff(site);
        await submitPassword(page, PASSWORD, "Sign up", "bob@example.com");
        await page.getByText("sent to bob@example.com").waitFor();
        fixture.secret(await refreshCookieOf(person, project));
        await button(page, "Not now").click();
        await page.locator("#email", { hasText: "bob@example.com" }).waitFor();
        await page.getByText("None yet.").waitFor();
        assert.equal(await isVerified(site, "bob@example.com"), false);
      },
    );

    const leaks = person.seen.filter(({ url }) => /\d{6}|engine/.test(new URL(url).search));
    assert.deepEqual(leaks, [], "no address contains a code or a password");
    // Ignores the refusals that the steps above expect.
    assert.deepEqual(person.errors.filter((text) => !/status of 40[0-3]/.test(text)), []);
  },
);
