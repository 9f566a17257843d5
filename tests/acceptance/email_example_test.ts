import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ExampleSite, keptToken, openExampleSite } from "../attacks/example_site.ts";
import { browserTest } from "../support/browser.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { admin } from "./server.ts";
import { until } from "./until.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a difference engine";
const NEXT_PASSWORD = "an analytical engine";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function enter(
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

const told = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();

/** Of the user, as the project's server sees them. */
async function isVerified({ fixture, project }: ExampleSite, email = EMAIL): Promise<boolean> {
  const users = await fixture.users(project);
  return users.find((user) => user.email === email)!.emailVerified as boolean;
}

/** Whether new users must verify their address, as the project's owner sets it. */
async function requireVerifiedEmail({ fixture, project }: ExampleSite, isOn: boolean) {
  await admin(
    ["project", "set", "--project", project.projectId, "--file", "-"],
    fixture.server.settings,
    JSON.stringify({ auth: { requireVerifiedEmail: isOn } }),
  );
}

/** Waits until the server has noticed that nobody must verify their address any more. */
async function noticed({ fixture, project }: ExampleSite): Promise<void> {
  const body = { email: "carol@example.com", password: PASSWORD };
  const path = "/api/userAuth/users";
  const { status } = await fixture.send({ path, key: project.secretKey, body });
  assert.equal(status, 201);
  await until("the setting is noticed", async () => {
    const call = { path: "/api/userAuth/login", key: project.publishableKey, body };
    return (await fixture.send(call)).status === 200;
  });
}

browserTest(
  "the example page signs up, verifies, signs in, resets a password and signs in by a code",
  async (t) => {
    await using mails = await startSmtpServer();
    const settings = { MAIL_URL: mails.url, MAIL_FROM: "notes@example.com" };
    await using site = await openExampleSite(settings);
    const { fixture, project } = site;
    await requireVerifiedEmail(site, true);
    const person = await site.person();
    const { page } = person;
    await page.goto(project.siteUrl);

    /** The next mail's code and its link, which leads to the page. */
    async function nextMail(purpose: string) {
      const { text } = await mails.next(EMAIL);
      const code = fixture.secret(/\b\d{6}\b/.exec(text)![0]);
      const link = new URL(/https:\S+/.exec(text)![0]);
      assert.equal(`${link.origin}${link.pathname}`, `${project.siteUrl}/auth/verify`);
      assert.deepEqual(Object.fromEntries(link.searchParams), { purpose, email: EMAIL });
      assert.equal(link.hash, `#code=${code}`);
      return { code, link: link.href };
    }

    await t.step("signing up asks for the code of the mail, and opens no session", async () => {
      await enter(page, PASSWORD, "Sign up");
      await page.getByText(`sent to ${EMAIL}`).waitFor();
      assert.equal(await keptToken(person, project), null);
      assert.equal(await isVerified(site), false);
    });

    await t.step("without the code nobody is signed in, and a wrong one is refused", async () => {
      await button(page, "Not now").click();
      await enter(page, PASSWORD, "Sign in");
      await page.getByText(`sent to ${EMAIL}`).waitFor();
      await page.getByLabel("Code", { exact: true }).fill("000000");
      await button(page, "Verify").click();
      await told(page, "The code is not valid");
      assert.equal(await keptToken(person, project), null);
      assert.equal(await isVerified(site), false);
    });

    await t.step(
      "the mail's link fills the code in, spends nothing, and leaves no trace",
      async () => {
        const { code, link } = await nextMail("verify");
        // As mail programs do that look at links before people do.
        const scanner = await site.person();
        await scanner.page.goto(link);
        await button(scanner.page, "Verify").waitFor();
        await scanner.context.close();
        await page.goto(link);
        assert.equal(await page.getByLabel("Code", { exact: true }).inputValue(), code);
        assert.equal(page.url(), `${project.siteUrl}/`);
        assert.equal(await isVerified(site), false);
        // There is no session yet: the password shows who signed up.
        await page.getByLabel("Your password, if you signed up with one").fill(PASSWORD);
        await button(page, "Verify").click();
        await told(page, "Your e-mail is verified.");
        assert.equal(await isVerified(site), true);
      },
    );

    await t.step("the password signs in, and a reload finds the session again", async () => {
      await enter(page, "not this one", "Sign in");
      await told(page, "The e-mail or the password is not right.");
      await enter(page, PASSWORD, "Sign in");
      await page.locator("#email", { hasText: EMAIL }).waitFor();
      fixture.secret(await keptToken(person, project));
      await page.reload();
      await page.getByText("None yet.").waitFor();
      fixture.secret(await keptToken(person, project));
      const stored = await page.evaluate<string>("JSON.stringify({ ...localStorage })");
      const mark = `corbel ${fixture.publicUrl} ${project.publishableKey}`;
      assert.deepEqual(JSON.parse(stored), { [mark]: "signed in" });
      await signOut(page);
    });

    await t.step(
      "a forgotten password is reset by a code, and the old one signs in no more",
      async () => {
        await page.getByLabel("E-mail", { exact: true }).fill(EMAIL);
        await button(page, "I forgot my password").click();
        await told(page, "If a user has this e-mail, a code is on its way.");
        const { code } = await nextMail("resetPassword");
        await page.getByLabel("Code", { exact: true }).fill(code);
        await page.getByLabel("New password").fill(NEXT_PASSWORD);
        await button(page, "Set the password").click();
        await told(page, "Your new password is set: sign in with it.");
        assert.equal(await keptToken(person, project), null);
        await enter(page, PASSWORD, "Sign in");
        await told(page, "The e-mail or the password is not right.");
        await enter(page, NEXT_PASSWORD, "Sign in");
        await page.locator("#email", { hasText: EMAIL }).waitFor();
        fixture.secret(await keptToken(person, project));
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
      fixture.secret(await keptToken(person, project));
      await signOut(page);
    });

    await t.step(
      "where it need not be verified, signing up signs in, and the code may wait",
      async () => {
        await requireVerifiedEmail(site, false);
        await noticed(site);
        await enter(page, PASSWORD, "Sign up", "bob@example.com");
        await page.getByText("sent to bob@example.com").waitFor();
        fixture.secret(await keptToken(person, project));
        await button(page, "Not now").click();
        await page.locator("#email", { hasText: "bob@example.com" }).waitFor();
        await page.getByText("None yet.").waitFor();
        assert.equal(await isVerified(site, "bob@example.com"), false);
      },
    );

    const shown = person.seen.filter(({ url }) => /\d{6}|engine/.test(new URL(url).search));
    assert.deepEqual(shown, [], "no code and no password is in an address");
    // What was refused above, and nothing else.
    assert.deepEqual(person.errors.filter((text) => !/status of 40[0-3]/.test(text)), []);
  },
);
