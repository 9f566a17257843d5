import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const DEFAULTS = {
  signUp: "open",
  password: true,
  emailCode: true,
  anonymous: false,
  requireVerifiedEmail: false,
  passwordLengthMin: 8,
};

async function openSignUpSettings(app: TestApp) {
  const pages = await openProjectPages(app);
  const owner = await pages.project.owner();
  const path = `${pages.home}/sign-in`;
  return {
    ...pages,
    path,
    page: () => pages.dashboard.get(path),
    async auth() {
      const answer = await owner.send({ path: `/api/projects/${pages.project.projectId}` });
      return answer.body.data.auth;
    },
    signUp: (email: string) =>
      pages.project.asPublic({
        path: "/api/userAuth/signup",
        body: { email, password: "seven wet stones 41" },
      }),
  };
}

const card = ({ document }: PageAnswer) => document.querySelector("#sign-up")!;

Deno.test("sign-up settings are saved by their form, and apply immediately", async () => {
  await using app = await openTestApp();
  const { dashboard, page, path, auth, signUp } = await openSignUpSettings(app);
  const first = await page();
  assert.deepEqual(await auth(), DEFAULTS);
  assert.equal((await signUp("ada@example.com")).status, 201);
  const answer = await dashboard.fill(first, "Save sign-up", {
    signUp: "closed",
    anonymous: "on",
    passwordLengthMin: "12",
  });
  assert.equal(answer.location, `${path}?done=sign-up#sign-up`);
  const expected = { ...DEFAULTS, signUp: "closed", anonymous: true, passwordLengthMin: 12 };
  assert.deepEqual(await auth(), expected);
  const refused = await signUp("bea@example.com");
  assert.deepEqual([refused.status, refused.body.code], [403, "SIGN_UP_CLOSED"]);
  const again = await dashboard.follow(answer);
  assert.match(card(again).textContent, /Saved\./);
  await dashboard.fill(again, "Save sign-up");
  assert.deepEqual(await auth(), expected, "an untouched form changes nothing");
});

Deno.test("each choice is explained, and closed also applies to providers", async () => {
  await using app = await openTestApp();
  const { page } = await openSignUpSettings(app);
  const form = card(await page()).querySelector("form")!;
  for (const name of ["password", "emailCode", "anonymous", "requireVerifiedEmail"]) {
    const input = form.querySelector(`[name=${name}]`)!;
    const hint = form.querySelector(`#${input.getAttribute("aria-describedby")}`)!;
    assert.ok(hint.textContent.length > 20, name);
  }
  const closed = form.querySelector("#signUp-closed-hint")!;
  assert.match(closed.textContent, /not by a provider either/);
});

Deno.test("a refused length is reported at its field, all choices stay, and nothing is saved", async () => {
  await using app = await openTestApp();
  const { dashboard, page, auth } = await openSignUpSettings(app);
  const first = await page();
  for (const passwordLengthMin of ["7", "129", "8.5", "", ...HOSTILE_TEXTS]) {
    const input = { signUp: "closed", requireVerifiedEmail: "on", passwordLengthMin };
    const refused = await dashboard.fill(first, "Save sign-up", input);
    assert.equal(refused.status, 400, passwordLengthMin);
    const field = refused.document.querySelector("[name=passwordLengthMin]")!;
    assert.equal(field.getAttribute("value"), passwordLengthMin.trim());
    assert.equal(field.getAttribute("aria-invalid"), "true");
    assert.match(field.closest("fieldset")!.textContent, /must be a whole number from 8 to 128/);
    assert.ok(card(refused).querySelector("[value=closed]")!.hasAttribute("checked"));
    assert.ok(card(refused).querySelector("[name=requireVerifiedEmail]")!.hasAttribute("checked"));
    assertHarmless(refused);
  }
  assert.deepEqual(await auth(), DEFAULTS);
});

Deno.test("choices that need mail show a warning without a mail server, or link to the mailbox", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const { dashboard, page, home } = await openSignUpSettings(app);
  const first = await page();
  assert.match(card(first).textContent, /No mail can be sent, so users cannot sign in by a code/);
  const link = card(first).querySelector(".note a")!;
  assert.equal(link.getAttribute("href"), `${home}/mail/server`);
  const off = { signUp: "open", password: "on", passwordLengthMin: "8" };
  await dashboard.submit(`${home}/sign-in/sign-up`, off);
  assert.doesNotMatch(card(await page()).textContent, /No mail can be sent/);
  await dashboard.submit(`${home}/sign-in/sign-up`, { ...off, requireVerifiedEmail: "on" });
  const verified = card(await page()).textContent;
  assert.match(verified, /users cannot verify the e-mail/);
  assert.doesNotMatch(verified, /sign in by a code, and/);

  await using keeping = await openTestApp();
  const kept = await openSignUpSettings(keeping);
  assert.match(card(await kept.page()).textContent, /codes are in the mailbox/);
});

Deno.test("a viewer reads sign-up settings and cannot change them", async () => {
  await using app = await openTestApp();
  const { as, path, auth } = await openSignUpSettings(app);
  const viewer = await as("viewer");
  const page = await viewer.get(path);
  assert.match(card(page).textContent, /New usersopen/);
  assert.equal(card(page).querySelector("form"), null);
  const refused = await viewer.submit(`${path}/sign-up`, { signUp: "closed" });
  assert.equal(refused.status, 403);
  assert.equal((await (await as(null)).submit(`${path}/sign-up`)).status, 404);
  assert.deepEqual(await auth(), DEFAULTS);
  const admin = await as("admin");
  assert.equal((await admin.fill(await admin.get(path), "Save sign-up")).status, 303);
});
