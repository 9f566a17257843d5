import assert from "node:assert/strict";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  openDashboardBrowser,
  register,
} from "../support/dashboard_browser.ts";

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(
    `${how}: a collection is created, gets fields and access rules, and is deleted`,
    async () => {
      await using dashboard = await openDashboardBrowser();
      const page = await dashboard.person({ javaScriptEnabled });
      const accessible = async () => {
        if (javaScriptEnabled) await assertAccessible(page);
      };
      await register(dashboard, page);
      const { home, secretKey } = await createProject(page);
      await page.goto(`${home}/collections`);
      await accessible();
      await page.getByLabel("Name").fill("posts");
      await page.getByRole("button", { name: "Create collection" }).click();
      await page.getByRole("status").getByText("The collection is created").waitFor();
      await accessible();

      // Adds a field with a typing mistake, an object with a member, and a list of refs.
      await page.getByRole("button", { name: "Add field", exact: true }).click();
      await page.getByLabel("Name of the new field").fill("meta");
      const type = page.getByLabel("Type of the new field", { exact: true });
      const details = page.getByRole("button", { name: "Details: Type of the new field" });
      assert.equal(await details.isVisible(), false);
      await type.selectOption("Object");
      await details.click();
      await page.getByRole("button", { name: "Add field to meta" }).click();
      await page.getByLabel("Name of the new field").fill("9lives");
      await page.getByRole("button", { name: "Save fields" }).click();
      await page.getByRole("alert").getByText("must begin with a letter").waitFor();
      await accessible();
      const slip = page.getByLabel("Name of meta.9lives");
      assert.ok(await page.locator(":focus").getAttribute("aria-label") === "Name of meta.9lives");
      await slip.fill("lang");
      // Enter saves the form and does not press an earlier button.
      await slip.press("Enter");
      await page.getByRole("status").getByText("The fields are saved").waitFor();
      assert.equal(await page.getByLabel("Name of meta.lang").inputValue(), "lang");

      await page.getByRole("link", { name: "Access" }).click();
      await page.getByText("sign-in needed").first().waitFor();
      await accessible();
      const anyone = page.getByRole("row", { name: /^publishable key/ });
      await page.getByRole("radio", { name: "Public, read-only" }).check();
      assert.match(await anyone.innerText(), /all rows\s+sign-in needed\s+sign-in needed/);
      await page.getByRole("radio", { name: "No row rules" }).check();
      assert.match(await anyone.innerText(), /all rows\s+refused\s+refused/);
      await page.getByRole("button", { name: "Save access" }).click();
      await page.getByRole("status").getByText("Access is saved").waitFor();
      await page.getByRole("combobox", { name: /^Field/ }).selectOption("meta.lang");
      await page.getByRole("button", { name: "Add index" }).click();
      const row = page.getByRole("row", { name: /^meta\.lang/ });
      await row.getByText("Remove", { exact: true }).click();
      await accessible();
      await row.getByRole("button", { name: "Remove the index of meta.lang" }).click();
      await page.getByRole("status").getByText("The index is removed").waitFor();

      await page.getByRole("link", { name: "API", exact: true }).click();
      await page.getByRole("heading", { level: 2, name: /^List/ }).waitFor();
      await page.getByText("fetch", { exact: true }).first().click();
      await accessible();
      const listed = await fetch(`${dashboard.server.url}/api/data/posts`, {
        method: "POST",
        headers: { "x-api-key": secretKey, "content-type": "application/json" },
        body: "{}",
        client: dashboard.server.http,
      });
      assert.equal(listed.status, 201, await listed.text());

      await page.getByRole("link", { name: "Fields", exact: true }).click();
      await page.getByText("Delete collection", { exact: true }).click();
      await page.getByText("posts and its 1 document will be lost").waitFor();
      await page.getByLabel("Type posts to go on").fill("posts");
      await page.getByRole("button", { name: "Delete posts" }).click();
      await page.getByText("The collection is deleted").waitFor();
      await page.getByText("Name your first").waitFor();
    },
  );
}

browserTest("200 fields remain usable, on a phone too", async () => {
  await using dashboard = await openDashboardBrowser();
  const page = await dashboard.person({ viewport: { width: 360, height: 740 } });
  await register(dashboard, page);
  const { home } = await createProject(page);
  const path = `/api${new URL(home).pathname.slice("/dashboard".length)}/collections`;
  const wide = "w".repeat(64);
  const status = await page.evaluate(async ([path, wide]) => {
    const fields = Array.from({ length: 199 }, (_, i) => ({
      key: i === 0 ? wide : `field${i}`,
      type: "String",
      index: i === 0,
    }));
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: wide, fields }),
    });
    return answer.status;
  }, [path, wide] as const);
  assert.equal(status, 201);
  await page.goto(`${home}/collections/${wide}/fields`);
  assert.equal(await page.getByRole("textbox", { name: /^Name of / }).count(), 200);
  // The buttons are visible without scrolling, and a new field is scrolled into view.
  const save = page.getByRole("button", { name: "Save fields" });
  const { y, height } = (await save.boundingBox())!;
  assert.ok(y > 0 && y + height <= 740);
  await page.getByLabel("Name of field198").fill("renamed");
  await page.getByRole("button", { name: "Add field", exact: true }).click();
  const added = page.getByLabel("Name of the new field");
  await added.waitFor();
  const box = (await added.boundingBox())!;
  assert.ok(box.y > 0 && box.y < y, `${box.y}`);
  assert.equal(await page.getByLabel("Name of renamed").inputValue(), "renamed");
  for (const tab of ["", `/${wide}/fields`, `/${wide}/access`, `/${wide}/api`]) {
    await page.goto(`${home}/collections${tab}`);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.equal(overflow, 0, tab);
    if (!tab.endsWith("/fields")) await assertAccessible(page);
  }
});
