import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { callOf, openHousehold, ROWS } from "./every_page.ts";

/** Parameters that some page reads, and one that no page reads. */
const PARAMETERS = [
  ...["done", ".done", ".columns", ".field", ".edit", ".from", ".format", "view", "field"],
  ...["choice", "value", "at", "column", "as", "from", "next", "cursor", "search", "error"],
  ...["error_description", "provider", "userId", "isNewUser", "linkedByEmail", "where", "sort"],
  ...["limit", "page", "fields", "populate", "title", "title_regex", "views_gt", "unheard"],
] as const;

/** Names that every object has, and texts of an attacker. */
const WORDS = ["constructor", "toString", "__proto__", "hasOwnProperty", ...HOSTILE_TEXTS];

const LOOKS = ROWS.filter(({ method, template }) => method === "GET" && !template.endsWith("/try"));

Deno.test("texts in an address are shown as text", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const dashboard = openDashboard(app, household.owner);
  for (const row of LOOKS) {
    const { path } = callOf(row, household);
    for (const text of ["javascript:globalThis.hacked=1", HOSTILE_TEXTS.join(" ")]) {
      for (const name of PARAMETERS) {
        const address = `${path}?${new URLSearchParams({ [name]: text })}`;
        const page = await dashboard.get(address);
        assert.ok(page.status < 500, `${address}: ${page.status}`);
        assert.match(page.location ?? "/dashboard", /^\/dashboard(?:[/?]|$)/, address);
        if (page.headers.get("content-type")?.startsWith("text/html")) assertHarmless(page);
      }
    }
  }
});

Deno.test("an unknown word in an address never makes a page report success", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const dashboard = openDashboard(app, household.owner);
  for (const row of LOOKS) {
    const { path } = callOf(row, household);
    for (const word of WORDS) {
      const done = new URLSearchParams({ done: word, ".done": word });
      const page = await dashboard.get(`${path}?${done}`);
      const said = page.document.querySelector(".note.good")?.textContent;
      assert.equal(said, undefined, `${path} ${word}`);
    }
  }
});
