import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openRequests(app: TestApp) {
  const pages = await openProjectPages(app);
  const path = `${pages.home}/requests`;
  return {
    ...pages,
    path,
    look: (query = "") => pages.dashboard.get(`${path}${query}`),
    async asked(paths: readonly string[]) {
      for (const rest of paths) {
        await pages.project.asSecret({ path: `/api/data/${rest}` });
        app.clock.advance(1000);
      }
      await app.services.requestLog.store();
    },
  };
}

/** Returns each row's operation with method and id, status with problem, and caller. */
const rows = ({ document }: PageAnswer) =>
  [...document.querySelectorAll(".lines tbody tr")].map((row) =>
    [...row.querySelectorAll("th, td")].slice(0, 3).map((cell) => cell.textContent.trim())
  );

Deno.test("failed requests are shown with their problem, which links to its explanation", async () => {
  await using app = await openTestApp();
  const { look, asked } = await openRequests(app);
  assert.match((await look()).words, /No request was refused or failed/);
  await asked(["none"]);
  const page = await look();
  const [[operation, status, caller]] = rows(page) as [string[]];
  assert.match(operation!, /^listDocuments GET/);
  assert.equal(status, "404COLLECTION_NOT_FOUND");
  assert.equal(caller, "Secret key");
  const link = page.document.querySelector(".lines a")!;
  assert.equal(link.getAttribute("href"), "/docs/errors#collection_not_found");
});

Deno.test("the filters are those of the operation, and are kept in the form and the next page", async () => {
  await using app = await openTestApp();
  const { look, asked, dashboard } = await openRequests(app);
  await asked([...Array.from({ length: 51 }, () => "none"), "none/x"]);
  const filtered = await look("?operation=getDocument&status=&code=&caller=secret&within=hour");
  assert.equal(rows(filtered).length, 1);
  const { document } = filtered;
  assert.equal(document.querySelector("[name=operation]")!.getAttribute("value"), "getDocument");
  const chosen = [...document.querySelectorAll("main option[selected]")].map((one) =>
    one.textContent
  );
  assert.deepEqual(chosen, ["Secret key", "The last hour"]);
  const first = await look("?operation=listDocuments");
  assert.equal(rows(first).length, 50);
  const next = [...first.document.querySelectorAll(".pages a")].at(-1)!.getAttribute("href")!;
  const last = await dashboard.get(next);
  assert.equal(rows(last).length, 1);
  assert.equal(
    last.document.querySelector("[name=operation]")!.getAttribute("value"),
    "listDocuments",
  );
  app.clock.advance(3_600_000);
  assert.match((await look("?within=hour")).words, /No request that is kept matches/);
});

Deno.test("an invalid filter is reported, kept as entered, and harmless", async () => {
  await using app = await openTestApp();
  const { look } = await openRequests(app);
  const bad = await look("?status=40");
  assert.equal(bad.status, 400);
  assert.match(
    bad.document.querySelector("[role=alert]")!.textContent,
    /"status" must be a status/,
  );
  for (const text of HOSTILE_TEXTS) {
    for (const name of ["operation", "status", "code", "caller", "requestId", "within", "cursor"]) {
      assertHarmless(await look(`?${new URLSearchParams({ [name]: text })}`));
    }
  }
});

Deno.test("an admin lists all requests for an hour, and stops it", async () => {
  await using app = await openTestApp();
  const { look, asked, dashboard, project } = await openRequests(app);
  await project.collection({ name: "posts", fields: [] });
  await asked(["posts"]);
  assert.deepEqual(rows(await look()), []);
  const on = await dashboard.follow(
    await dashboard.fill(await look(), "List all requests for 60 minutes"),
  );
  assert.match(on.words, /All requests are listed until/);
  await asked(["posts"]);
  assert.equal(rows(await look()).length, 1);
  await dashboard.fill(on, "List only those that fail");
  await asked(["posts"]);
  const after = await look();
  assert.equal(rows(after).length, 1);
  assert.match(after.words, /List all requests for/);
});

Deno.test("a viewer sees requests, and cannot change their recording", async () => {
  await using app = await openTestApp();
  const { as, path } = await openRequests(app);
  const viewer = await as("viewer");
  const page = await viewer.get(path);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.words, /List all requests/);
  assert.equal((await viewer.submit(`${path}/recording`, { record: "all" })).status, 403);
});
