import assert from "node:assert/strict";
import { aiEnv } from "../api/ai.ts";
import { startAiFake } from "../support/ai_fake.ts";
import { browserTest } from "../support/browser.ts";
import {
  assertAccessible,
  createProject,
  openDashboardBrowser,
  register,
} from "../support/dashboard_browser.ts";
import { HOSTILE_TEXTS } from "../support/pages.ts";

const QUESTION = `For whom? ${HOSTILE_TEXTS.join(" ")}`;

const FIELD = {
  ...{ key: "title", type: "String", required: true, unique: false, index: false, search: false },
  ...{ ref: null, items: null, fields: null },
};

const DESIGN = {
  type: "schema",
  message: "Two of them.",
  collections: ["posts", "pages"].map((name) => ({
    name,
    access: "public-read",
    fields: [FIELD],
  })),
};

const CLARIFY = { type: "clarify", message: QUESTION, collections: null };

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";
  browserTest(`${how}: collections are discussed, proposed and added`, async () => {
    await using fake = startAiFake();
    fake.reply({ writes: CLARIFY, piece: 5 });
    await using dashboard = await openDashboardBrowser({ settings: aiEnv(fake) });
    const page = await dashboard.person({ javaScriptEnabled });
    await register(dashboard, page);
    const { home } = await createProject(page);
    await page.goto(`${home}/ai`);
    if (javaScriptEnabled) await assertAccessible(page);
    await page.getByRole("button", { name: "Design collections" }).click();
    const field = page.getByRole("textbox");
    const send = page.getByRole("button", { name: "Send" });
    await field.fill("A blog");
    await send.click();
    await page.getByText("19 turns left").waitFor();
    const asked = page.getByRole("listitem").filter({ hasText: "Creator" }).locator("p");
    assert.equal(await asked.textContent(), QUESTION);
    fake.reply({ writes: DESIGN });
    await field.fill("For everybody");
    await send.click();
    await page.getByRole("heading", { name: "Proposed: 2 collections" }).waitFor();
    if (javaScriptEnabled) await assertAccessible(page);
    await page.getByRole("button", { name: "Add these" }).click();
    await page.getByText("The proposed collections are created").waitFor();
    await page.getByRole("rowheader", { name: "pages" }).waitFor();
    await page.goto(`${home}/ai/designer`);
    await page.getByText("Start over").click();
    await page.getByRole("button", { name: "Forget the chat" }).click();
    await page.getByText("nothing is created before you add it").waitFor();
    // The plan's one design per month is used up.
    await field.fill("A shop");
    await send.click();
    await page.getByRole("alert").getByText("used up").waitFor();
    assert.equal(await field.inputValue(), "A shop");
    if (javaScriptEnabled) await assertAccessible(page);
  });
}

browserTest("with scripts, a response appears while it is written", async () => {
  await using fake = startAiFake();
  fake.reply({ silent: true, writes: '{"type":"clarify","message":"For whom <b>is it</b>' });
  await using dashboard = await openDashboardBrowser({ settings: aiEnv(fake) });
  const page = await dashboard.person();
  await register(dashboard, page);
  const { home } = await createProject(page);
  await page.goto(`${home}/ai/designer`);
  await page.getByRole("textbox").fill("A blog");
  await page.getByRole("textbox").press("Control+Enter");
  // The provider never ends its response, so the text appeared before the end.
  await page.getByRole("listitem").filter({ hasText: "For whom <b>is" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
  await page.getByRole("link", { name: "Members" }).click();
});

browserTest(
  "with scripts, an interrupted response is removed and the question is kept",
  async () => {
    await using fake = startAiFake();
    const partialDesign = JSON.stringify({ ...DESIGN, message: "Posts it is." });
    fake.reply({ writes: partialDesign.replace('"String"', '"Text"'), piece: 4 });
    await using dashboard = await openDashboardBrowser({ settings: aiEnv(fake) });
    const page = await dashboard.person();
    await register(dashboard, page);
    const { home } = await createProject(page);
    await page.goto(`${home}/ai/designer`);
    await page.getByRole("textbox").fill("A blog");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").getByText("cannot be used").waitFor();
    assert.equal(await page.getByRole("textbox").inputValue(), "A blog");
    assert.equal(await page.getByText("Posts it is.").count(), 0);
    fake.reply({ writes: DESIGN });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: "Proposed: 2 collections" }).waitFor();
  },
);
