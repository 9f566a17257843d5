import assert from "node:assert/strict";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import { setMailSettings } from "@/lib/mail/settings.ts";
import { setTemplate } from "@/lib/mail/template_store.ts";
import { PROJECTS } from "@/lib/projects/records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openFiles } from "../api/files.ts";
import { signInAgain } from "../support/dashboard.ts";
import { openDashboard, type PageElement } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  callOf,
  type Household,
  isOpenTo,
  namesOf,
  openHousehold,
  rowAt,
  ROWS,
} from "./every_page.ts";
import { setStorage } from "@/tests/support/given.ts";

/** Forms that need no question, because they only add something or can be undone. */
const HARMLESS = [
  "POST /dashboard",
  "POST /dashboard/language",
  "POST /dashboard/sign-out",
  "POST /dashboard/sign-in",
  "POST /dashboard/register",
  "POST /dashboard/verify",
  "POST /dashboard/verify/code",
  "POST /dashboard/account/name",
  "POST /dashboard/account/email",
  "POST /dashboard/account/email/confirm",
  "POST /dashboard/account/password",
  "POST /dashboard/account/ai-key",
  "POST /dashboard/account/tokens",
  "POST /dashboard/invitations/{token}/accept",
  "POST /dashboard/projects/{projectId}",
  ...[
    "/slow-questions",
    "/requests/recording",
    "/jobs/{jobId}",
    "/settings",
    "/sign-in",
    "/sign-in/sign-up",
    "/sign-in/providers/{provider}",
    "/users/new",
    "/users/fields",
    "/users/{id}/edit",
    "/users/{id}/enable",
    "/users/{id}/test-token",
    "/mail/log/{mailId}",
    "/mail/server",
    "/mail/server/language",
    "/mail/server/check",
    "/mail/templates/{name}/{language}",
    "/mail/templates/{name}/{language}/preview",
    "/webhooks/new",
    "/webhooks/{webhookId}",
    "/webhooks/{webhookId}/test",
    "/webhooks/{webhookId}/replay",
    "/webhooks/{webhookId}/deliveries/{deliveryId}",
    "/files",
    "/files/uploads",
    "/files/visibility",
    "/files/storage",
    "/files/storage/check",
    "/ai/key",
    "/ai/designer",
    "/members",
    "/members/{accountId}",
    "/collections",
    "/collections/{collectionName}/fields",
    "/collections/{collectionName}/access",
    "/collections/{collectionName}/rename",
    "/collections/{collectionName}/ask",
    "/collections/{collectionName}/columns",
    "/collections/{collectionName}/views",
    "/collections/{collectionName}/new",
    "/collections/{collectionName}/import",
    "/collections/{collectionName}/documents/{id}",
    // This form only recovers; a deletion goes to a separate page with a question.
    "/collections/{collectionName}/documents",
  ].map((rest) => `POST /dashboard/projects/{projectId}${rest}`),
];

/** Buttons that ask, in forms that also have other buttons. */
const ASKED_BUTTONS = [
  /^Clear the key$/,
  /^Forget the chat$/,
  /^Remove the index of /,
  /^Delete this document$/,
  /^Remove this document for good$/,
];

/** Creates everything that can be lost, to show each form. Resolves to a webhook. */
async function createContents(
  app: TestApp,
  { project, owner, userId }: Household,
): Promise<string> {
  const { projectId } = project;
  const { engine, clock, newId } = app.services;
  await signInAgain(owner);
  const token = { name: "CI", access: "read", projects: "all" };
  assert.equal((await owner.send({ path: "/api/auth/tokens", body: token })).status, 201);
  const rotation = {
    path: `/api/projects/${projectId}/keys/secret/rotate`,
    body: { graceHours: 1 },
  };
  assert.equal((await owner.send(rotation)).status, 200);
  await (await openFiles(app, project)).upload();
  await setStorage(app.services, projectId, {
    endpoint: "http://127.0.0.1:9",
    bucket: "own-files",
    accessKeyId: "AKID",
    secretAccessKey: "secret",
  });
  await setMailSettings(app.services, projectId, {
    url: "smtp://127.0.0.1:9",
    from: "blog@blog.example",
  });
  const { id: webhookId } = await createWebhook(app.services, projectId, {
    name: "Search index",
    url: "https://hooks.example.com/",
    events: { posts: ["created"] },
  });
  await setTemplate(app.services, projectId, {
    name: "code",
    language: "en",
    subject: "Hello",
    text: "{{code}}",
  });
  await engine.transaction(
    projectId,
    (tx) =>
      openSession(tx, { clock, newId }, { userId, device: { userAgent: "a", address: null } }),
  );
  const sealedAiKey = "sealed"; // Pages only check whether there is a key.
  await engine.records("control", ACCOUNTS)
    .updateOne(eq("_id", owner.accountId), { set: { sealedAiKey } });
  await engine.records("control", PROJECTS).updateOne(eq("_id", projectId), {
    set: { sealedAiKey },
  });
  return webhookId;
}

const wordsOf = (element: PageElement | null): string =>
  (element?.textContent ?? "").replaceAll(/\s+/g, " ").trim();

Deno.test("every destructive form asks first, and says what is lost", async () => {
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const household = await openHousehold(app);
  const webhookId = await createContents(app, household);
  const { home, trashedId, owner, stranger } = household;
  const [dashboard, other] = [openDashboard(app, owner), openDashboard(app, stranger)];
  const looks = ROWS.filter((row) => row.method === "GET" && isOpenTo("owner", row))
    .filter(({ template }) => !/export|assets|requests|\/try$/.test(template))
    .map((row) => callOf(row, { ...household, webhookId }).path);
  const asked = new Set<string>();
  const unasked = new Set<string>();
  const pages = [
    await other.get("/dashboard/account"), // Only an account without projects can be deleted.
    await dashboard.get(`${home}/collections/posts/documents/${trashedId}`),
  ];
  for (const path of looks) pages.push(await dashboard.follow(await dashboard.get(path)));
  for (const page of pages) {
    for (const form of page.document.querySelectorAll("form[method=post]")) {
      const row = rowAt("POST", form.getAttribute("action")!);
      assert.ok(row, `${form.getAttribute("action")} is in the table`);
      const [name] = namesOf([row]) as [string];
      const ask = form.closest("details.ask");
      if (ask !== null) {
        assert.ok(
          wordsOf(form.querySelector("p")).length > 20,
          `${name} says what is lost`,
        );
        assert.ok(form.querySelector("button.danger"), name);
        asked.add(name);
        continue;
      }
      const buttons = [...form.querySelectorAll("button")].map(wordsOf);
      const needsAsk = buttons.some((one) => ASKED_BUTTONS.some((pattern) => pattern.test(one)));
      if (needsAsk || !HARMLESS.includes(name)) unasked.add(name);
    }
  }
  assert.deepEqual([...unasked], []);
  const destroying = namesOf(ROWS).filter((name) =>
    name.startsWith("POST") && !HARMLESS.includes(name) && !name.endsWith("/import/run")
  );
  assert.deepEqual(destroying.filter((name) => !asked.has(name)), [], "each was seen");
});
