import assert from "node:assert/strict";
import { assertHarmless, HOSTILE, openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { callOf, openHousehold, ROWS } from "./every_page.ts";

/** What some page reads of its address, and what none does. */
const PARAMETERS = [
  ...["done", ".done", ".columns", ".field", ".edit", ".from", ".format", "view", "field"],
  ...["choice", "value", "at", "column", "as", "from", "next", "cursor", "search", "error"],
  ...["error_description", "provider", "userId", "isNewUser", "linkedByEmail", "where", "sort"],
  ...["limit", "page", "fields", "populate", "title", "title_regex", "views_gt", "unheard"],
] as const;

/** What every object has, and what a person made up. */
const WORDS = ["constructor", "toString", "__proto__", "hasOwnProperty", ...HOSTILE];

const LOOKS = ROWS.filter(({ method, template }) => method === "GET" && !template.endsWith("/try"));

Deno.test("what an address says stays text", async () => {
  await using app = await openTestApp();
  const household = await openHousehold(app);
  const dashboard = openDashboard(app, household.owner);
  for (const row of LOOKS) {
    const { path } = callOf(row, household);
    for (const text of ["javascript:globalThis.hacked=1", HOSTILE.join(" ")]) {
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

Deno.test("no made-up word makes a page say that something was done", async () => {
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
