import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import { joinProject } from "../support/dashboard.ts";
import { openDashboard, type PageAnswer, type PageElement } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { callOf, isOpenTo, namesOf, openHousehold, rowAt, ROWS } from "./every_page.ts";

/** Yields the requests that a person can make with the links and forms of a page. */
function* requestsFrom({ document }: PageAnswer): Generator<Pick<Call, "method" | "path">> {
  for (const link of document.querySelectorAll("a[href]")) {
    yield { method: "GET", path: link.getAttribute("href")! };
  }
  for (const form of document.querySelectorAll("form")) {
    const controls = [...form.querySelectorAll("input, select, textarea, button")].filter(isUsable);
    if (controls.length === 0) continue;
    const method = (form.getAttribute("method") ?? "get").toUpperCase();
    yield { method, path: form.getAttribute("action") ?? "" };
    for (const control of controls) {
      const path = control.getAttribute("formaction");
      if (path !== null) yield { method, path };
    }
  }
}

/** Matches the texts of links to pages that create something. */
const CREATING = /^(?:\+|Add|Create|Design|Import|Make|New|Set up|Upload)\b/im;

const namesOn = ({ document }: PageAnswer): string =>
  [...document.querySelectorAll("a, button")].map((one) => one.textContent.trim()).join("\n");

const isUsable = (control: PageElement): boolean =>
  control.getAttribute("type") !== "hidden" && !control.hasAttribute("disabled") &&
  control.closest("fieldset[disabled]") === null;

for (const role of ["viewer", "admin"] as const) {
  Deno.test(`pages offer ${role}s only actions that they may take`, async () => {
    await using app = await openTestApp();
    const household = await openHousehold(app);
    const dashboard = openDashboard(app, household[role]);
    const { home, documentId, trashedId } = household;
    const posts = `${home}/collections/posts`;
    const empty = await app.project();
    await joinProject(app.services, empty.projectId, household[role].accountId, role);
    const looks = ROWS.filter((row) => row.method === "GET" && isOpenTo(role, row))
      .filter(({ template }) => !/export|assets|requests/.test(template))
      .map((row) => callOf(row, household).path);
    const barren = looks.filter((path) => path.startsWith(home) && !/posts|users\//.test(path))
      .map((path) => path.replace(household.project.projectId, empty.projectId));
    const views = ["isDeleted=true&include_deleted=true", "title=none", "views_gt=x", "cursor=x"];
    const more = [
      ...views.map((view) => `${posts}?${view}`),
      ...[documentId, trashedId].flatMap((id) => [
        `${posts}/documents/${id}`,
        `${posts}/documents/${id}?as=json`,
      ]),
    ];
    const forbidden = new Set<string>();
    for (const path of [...looks, ...barren, ...more]) {
      const first = await dashboard.get(path);
      if (first.location !== null && !first.location.startsWith("/dashboard")) continue;
      const page = await dashboard.follow(first);
      // The API page shows operations that use the project's public key.
      const isTempting = path.startsWith("/dashboard/projects") && !path.endsWith("/api") &&
        CREATING.test(namesOn(page));
      assert.equal(role === "viewer" && isTempting, false, path);
      for (const { method, path: target } of requestsFrom(page)) {
        if (!target.startsWith("/dashboard")) continue;
        const row = rowAt(method!, target);
        if (row === undefined) forbidden.add(`${path}: ${method} ${target} is nowhere`);
        else if (!isOpenTo(role, row)) forbidden.add(`${path}: ${namesOf([row])}`);
      }
    }
    assert.deepEqual([...forbidden], []);
  });
}
