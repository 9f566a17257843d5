import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { browserTest } from "../support/browser.ts";
import { openDashboardBrowser } from "../support/dashboard_browser.ts";
import { tour, TOUR_SERVER } from "../support/dashboard_tour.ts";
import { createTestStore } from "../support/test_store.ts";

/** Numbers what can be used on a page; of several radio buttons, which arrows choose from, one. */
const NUMBER_CONTROLS = `(() => {
  const groups = new Set();
  const controls = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary",
  )].filter((one) => {
    if (one.disabled || one.type === "hidden" || !one.checkVisibility()) return false;
    if (one.type !== "radio") return true;
    if (groups.has(one.name) || !one.checked) return false;
    return groups.add(one.name);
  });
  controls.forEach((one, at) => one.dataset.control = String(at));
  return controls.length;
})()`;

/** What has the focus, and whether it looks as if it had. */
const FOCUSED = `(() => {
  const { activeElement } = document;
  const { outlineStyle, outlineColor } = getComputedStyle(activeElement);
  return {
    control: activeElement.dataset.control ?? null,
    shows: outlineStyle !== "none" && outlineColor.startsWith("rgb("),
    html: activeElement.outerHTML.slice(0, 150),
  };
})()`;

interface Focused {
  readonly control: string | null;
  readonly shows: boolean;
  readonly html: string;
}

/** Fields of dates are several to the keyboard. */
const STOPS_PER_CONTROL = 8;

async function walk(page: Page, name: string): Promise<void> {
  const controls = await page.evaluate<number>(NUMBER_CONTROLS);
  assert.ok(controls > 0, name);
  const reached = new Set<string>();
  for (let stops = 0; reached.size < controls; stops++) {
    if (stops === controls * STOPS_PER_CONTROL) {
      const numbers = Array.from({ length: controls }, (_, at) => String(at));
      const missed = numbers.filter((one) => !reached.has(one)).map((one) =>
        page.locator(`[data-control="${one}"]`).evaluate((one) =>
          (one as unknown as { outerHTML: string }).outerHTML
        )
      );
      assert.fail(`${name}: Tab never comes to ${(await Promise.all(missed)).join("\n")}`);
    }
    await page.keyboard.press("Tab");
    const { control, shows, html } = await page.evaluate<Focused>(FOCUSED);
    if (control === null) continue;
    assert.ok(shows, `${name}: nobody sees that this has the focus: ${html}`);
    reached.add(control);
  }
}

browserTest("every control of every page is reached by Tab, and shows that it is", async () => {
  await using store = await createTestStore();
  await using dashboard = await openDashboardBrowser({ ...TOUR_SERVER, store, cwd: store.folder });
  const page = await dashboard.person({ viewport: { width: 1280, height: 860 } });
  for await (const name of tour(page, dashboard.server)) await walk(page, name);
});

browserTest("an account and a project are made by the keyboard alone", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person();
  const { keyboard } = page;
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  const tabTo = async (text: string) => {
    for (let stops = 0; stops < 30; stops++) {
      await keyboard.press("Tab");
      if ((await focused()).trim() === text) return;
    }
    assert.fail(`"${text}" is not reached`);
  };
  await page.goto(`${dashboard.origin}/dashboard`);
  await tabTo("Create an account");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Create an account" }).waitFor();
  await page.getByLabel("E-mail").focus();
  await keyboard.type("ann@example.com");
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.type("seven wet stones 41");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await tabTo("Skip to content");
  await page.getByLabel("Name").focus();
  await keyboard.type("Blog");
  await tabTo("Create project");
  await keyboard.press("Enter");
  await page.getByText("The secret key is shown this once").waitFor();
});
