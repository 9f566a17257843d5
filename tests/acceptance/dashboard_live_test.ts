import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  type DashboardBrowser,
  openDashboardBrowser,
  register,
} from "../support/dashboard_browser.ts";

const POSTS = {
  name: "posts",
  strict: false,
  fields: [{ key: "title", type: "String" }, { key: "status", type: "String" }],
};

/** A grid of drafts, newest first, and the project's server. */
interface Fixture {
  readonly page: Page;
  readonly address: string;
  add(...documents: object[]): Promise<string[]>;
  change(id: string, body: object): Promise<void>;
}

async function openDrafts(
  dashboard: DashboardBrowser,
  options: { readonly javaScriptEnabled?: boolean } = {},
): Promise<Fixture> {
  const page = await dashboard.person(options);
  await register(dashboard, page);
  const { home, secretKey } = await createProject(page);
  const { origin } = dashboard;
  const headers = { "x-api-key": secretKey };
  const collections = `${origin}/api${new URL(home).pathname.slice(10)}/collections`;
  const created = await page.request.post(collections, { data: POSTS });
  assert.equal(created.status(), 201, await created.text());
  const address = `${home}/collections/posts?status=draft&sort=-createdAt`;
  return {
    page,
    address,
    async add(...documents) {
      const bulk = `${origin}/api/data/posts/bulk`;
      const answer = await page.request.post(bulk, { data: { documents }, headers });
      assert.equal(answer.status(), 201, await answer.text());
      return (await answer.json()).data.ids;
    },
    async change(id, data) {
      const answer = await page.request.patch(`${origin}/api/data/posts/${id}`, { data, headers });
      assert.equal(answer.status(), 200, await answer.text());
    },
  };
}

const titles = (page: Page) => page.locator("tbody tr td:nth-child(2)").allInnerTexts();

/** Returns the position of a row, which must not move by itself. */
const boxOfRow = (page: Page, title: string) =>
  page.getByRole("row", { name: title }).boundingBox();

const draft = (title: string) => ({ title, status: "draft" });

/** Reports the page as hidden or visible, because headless Chromium shows all windows. */
const setVisibility = (page: Page, state: "hidden" | "visible") =>
  page.evaluate(
    `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));`,
  );

browserTest(
  "the grid counts changed documents, and shows them on request",
  async (t) => {
    await using dashboard = await openDashboardBrowser();
    const { page, address, add, change } = await openDrafts(dashboard);
    const [one] = await add(draft("One"));
    const following = () => page.waitForResponse((answer) => answer.url().includes("/live?"));
    const [first] = await Promise.all([following(), page.goto(address)]);
    assert.equal(first.status(), 200);

    await t.step(
      "no row moves by itself, and documents outside the filter are not counted",
      async () => {
        const before = await boxOfRow(page, "One");
        await add({ title: "Out", status: "published" });
        await add(draft("Two"));
        await page.getByRole("button", { name: "1 change: show it" }).waitFor();
        await change(one!, { title: "One again" });
        await change(one!, { title: "One once more" });
        await add(draft("Three"));
        const show = page.getByRole("button", { name: "3 changes: show them" });
        await show.waitFor();
        await assertAccessible(page);
        assert.deepEqual(await titles(page), ["One"]);
        assert.deepEqual(await boxOfRow(page, "One"), before);
        await show.click();
        await page.getByRole("link", { name: "One once more" }).waitFor();
        assert.deepEqual(await titles(page), ["Three", "Two", "One once more"]);
        assert.equal(page.url(), address);
        assert.equal(await page.locator("live-changes button:visible").count(), 0);
      },
    );

    await t.step("documents that are shown on request are followed afterwards", async () => {
      await change(one!, { status: "published" });
      await page.getByRole("button", { name: "1 change: show it" }).click();
      await page.getByText("1–2 of 2").waitFor();
      assert.deepEqual(await titles(page), ["Three", "Two"]);
    });

    await t.step(
      "a hidden window receives no changes, and catches up once it is visible",
      async () => {
        const ended = page.waitForEvent(
          "requestfailed",
          (request) => request.url().includes("/live?"),
        );
        await setVisibility(page, "hidden");
        await ended;
        await change(one!, draft("One is back"));
        await add(draft("Written later"));
        const [again] = await Promise.all([following(), setVisibility(page, "visible")]);
        assert.equal(again.status(), 200);
        await page.getByRole("button", { name: "2 changes: show them" }).click();
        await page.getByText("1–4 of 4").waitFor();
      },
    );

    await t.step("another page follows no changes, and going back shows all of them", async () => {
      await page.getByRole("link", { name: "Fields", exact: true }).click();
      await page.getByRole("heading", { name: "posts", level: 1 }).waitFor();
      await page.locator("live-changes").waitFor({ state: "detached" });
      await add(draft("Four"));
      await Promise.all([following(), page.goto(address)]);
      assert.equal((await titles(page))[0], "Four");
      await add(draft("Five"));
      await page.getByRole("button", { name: "1 change: show it" }).waitFor();
    });
  },
);

browserTest("without scripts the grid has no button for changes", async () => {
  await using dashboard = await openDashboardBrowser();
  const { page, address, add } = await openDrafts(dashboard, { javaScriptEnabled: false });
  await add(draft("One"));
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  await page.goto(address);
  await add(draft("Two"));
  assert.deepEqual(await titles(page), ["One"]);
  assert.equal(await page.locator("live-changes button").isVisible(), false);
  assert.deepEqual(asked.filter((url) => url.includes("/live")), []);
});
