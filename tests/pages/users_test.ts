import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { eq } from "@/lib/store/filter.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";

async function openUsersPage() {
  const app = await openTestApp();
  const project = await app.project();
  const owner = await project.owner();
  const { projectId } = project;
  const path = `/dashboard/projects/${projectId}/users`;
  return {
    app,
    project,
    projectId,
    path,
    pages: openDashboard(app, owner),
    async read(id: string) {
      const answer = await project.asSecret({ path: `/api/userAuth/users/${id}` });
      return answer.status === 200 ? answer.body.data as Record<string, unknown> : null;
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const rows = (document: { querySelectorAll(selector: string): Iterable<unknown> }) =>
  [...document.querySelectorAll("tbody tr")].length;

Deno.test("without users the page says how to add some", async () => {
  await using fixture = await openUsersPage();
  const page = await fixture.pages.get(fixture.path);
  assert.match(page.words, /No user has signed in so far/);
  assert.ok(
    [...page.document.querySelectorAll("main a")].some((link) =>
      link.getAttribute("href") === fixture.path.replace("/users", "/sign-in")
    ),
  );
});

Deno.test("users are listed by page and searched by e-mail, and faults are reported", async () => {
  await using fixture = await openUsersPage();
  const { app, projectId, pages, path } = fixture;
  for (let i = 0; i < 53; i++) {
    const email = `person${i}@${i % 2 === 0 ? "even" : "odd"}.example`;
    await createUser(app.services, projectId, { email, verified: true });
  }
  const first = await pages.get(path);
  assert.equal(rows(first.document), 50);
  const next = [...first.document.querySelectorAll(".pages a")].at(-1)!;
  assert.equal(next.textContent, "Next page");
  const second = await pages.get(next.getAttribute("href")!);
  assert.equal(rows(second.document), 3);
  assert.equal(second.document.querySelector(".pages a")!.textContent, "First page");

  const found = await pages.fill(first, "Search", { search: "ON7@ODD" });
  assert.equal(rows(found.document), 1);
  assert.match(found.words, /person7@odd\.example/);
  const none = await pages.get(`${path}?search=nobody`);
  assert.match(none.words, /No user has an e-mail/);
  for (const search of HOSTILE_TEXTS) {
    const page = await pages.get(`${path}?${new URLSearchParams({ search })}`);
    assert.equal(page.document.querySelector("[name=search]")!.getAttribute("value"), search);
    assertHarmless(page);
  }
  const refused = await pages.get(`${path}?cursor=made-up`);
  assert.equal(refused.status, 400);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /cursor/);
});

Deno.test("a user is disabled, enabled, signed out and deleted by forms that ask", async () => {
  await using fixture = await openUsersPage();
  const { pages, path, project, read } = fixture;
  const user = await project.user();
  const isSignedIn = async () =>
    (await project.asPublic({ path: "/api/userAuth/me" }, user)).status === 200;
  const page = await pages.get(`${path}/${user.id}`);
  assert.equal(page.status, 200);
  assert.equal([...page.document.querySelectorAll(".rows li")].length, 1);
  for (const button of ["Disable", "Delete for good", "End all"]) {
    const found = [...page.document.querySelectorAll("details.ask button")]
      .find((one) => one.textContent === button);
    assert.ok(found?.closest("details")?.querySelector("p"), `${button} says what is lost`);
  }
  assert.ok(await isSignedIn());
  const ended = await pages.fill(page, "End this session");
  assert.equal(ended.location, `${path}/${user.id}?done=session-ended`);
  assert.equal(await isSignedIn(), false);

  const disabled = await pages.follow(await pages.fill(page, "Disable"));
  assert.match(disabled.words, /The user is disabled and signed out everywhere/);
  assert.equal((await read(user.id))?.disabled, true);
  assert.match((await pages.get(path)).words, /disabled/);
  const enabled = await pages.follow(await pages.fill(disabled, "Enable user"));
  assert.equal((await read(user.id))?.disabled, false);
  assert.match(enabled.words, /may sign in again/);

  const deleted = await pages.follow(await pages.fill(enabled, "Delete for good"));
  assert.match(deleted.words, /The user is deleted/);
  assert.equal(await read(user.id), null);
  assert.equal((await pages.get(`${path}/${user.id}`)).status, 404);
  assert.equal((await pages.submit(`${path}/${user.id}/disable`)).status, 404);
});

Deno.test("all sessions of a user end at once, and no others", async () => {
  await using fixture = await openUsersPage();
  const { pages, path, project } = fixture;
  const [one, other] = [await project.user(), await project.user()];
  const page = await pages.get(`${path}/${one.id}`);
  assert.equal((await pages.fill(page, "End all")).location, `${path}/${one.id}?done=ended`);
  const me = async (user: typeof one) =>
    (await project.asPublic({ path: "/api/userAuth/me" }, user)).status;
  assert.deepEqual([await me(one), await me(other)], [401, 200]);
  const after = await pages.get(`${path}/${one.id}`);
  assert.match(after.words, /Not signed in anywhere/);
});

Deno.test("a test token is shown once, with its lifetime and a working call, and is not stored", async () => {
  await using fixture = await openUsersPage();
  const { app, pages, path, projectId, project } = fixture;
  const id = await createUser(app.services, projectId, {
    email: "ann@example.com",
    verified: true,
  });
  const before = await pages.get(`${path}/${id}`);
  assert.doesNotMatch(before.words, /shown this once/);
  const page = await pages.fill(before, "Create test token");
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.match(page.words, /Good for 15 minutes, and shown this once/);
  const card = page.document.querySelector("#test-token")!;
  const token = card.querySelector("input[readonly]")!.getAttribute("value")!;
  assert.equal(card.querySelector("copy-text")!.getAttribute("text"), token);
  const curl = card.querySelector("pre")!.textContent;
  const [, url, key] = /^curl '([^']+)' \\\n {2}-H 'x-api-key: ([^']+)'/.exec(curl)!;
  assert.equal(url, "http://localhost:8000/api/userAuth/me");
  assert.equal(key, project.publishableKey);
  assert.ok(curl.endsWith(`-H 'authorization: Bearer ${token}'`));
  const me = await project.asPublic({ path: "/api/userAuth/me" }, { id, token });
  assert.equal(me.body.data._id, id);
  const later = await pages.get(`${path}/${id}`);
  assert.ok(!later.text.includes(token));
  await pages.fill(later, "Disable");
  const disabled = await pages.get(`${path}/${id}`);
  assert.equal(disabled.document.querySelector("#test-token"), null);
  assert.equal((await pages.submit(`${path}/${id}/test-token`)).status, 404);
});

Deno.test("a session is ended only on the page of its own user", async () => {
  await using fixture = await openUsersPage();
  const { pages, path, project, app, projectId } = fixture;
  const [one, other] = [await project.user(), await project.user()];
  const { sessionId } = (await app.services.tokens.verify(projectId, other.token))!;
  await pages.submit(`${path}/${one.id}/sessions/${sessionId}`);
  const me = await project.asPublic({ path: "/api/userAuth/me" }, other);
  assert.equal(me.status, 200);
});

Deno.test("texts of providers and devices are shown as text, and no picture is loaded", async () => {
  await using fixture = await openUsersPage();
  const { app, projectId, pages, path } = fixture;
  const { engine, clock, newId } = app.services;
  for (const text of HOSTILE_TEXTS) {
    const email = `${crypto.randomUUID()}@example.com`;
    const userId = await createUser(app.services, projectId, { email, verified: false });
    await engine.records<UserRecord>(projectId, USERS).updateOne(eq("_id", userId), {
      set: {
        email: null,
        name: text,
        username: text,
        avatarUrl: "https://evil.example/pixel.png",
        providers: [{ provider: text, providerUserId: text, linkedAt: "2026-01-01T00:00:00.000Z" }],
      },
    });
    const device = { userAgent: text, address: text };
    await engine.transaction(
      projectId,
      (tx) => openSession(tx, { clock, newId }, { userId, device }),
    );
    for (const at of [path, `${path}/${userId}`]) {
      const page = await pages.get(at);
      assert.equal(page.status, 200);
      assert.ok(
        page.document.querySelector("main")!.textContent.includes(text),
        "the text is shown",
      );
      assert.equal([...page.document.querySelectorAll("img")].length, 0);
      assertHarmless(page);
    }
  }
});

Deno.test("a viewer has no buttons, and strangers find nothing", async () => {
  await using fixture = await openUsersPage();
  const { app, path, project, projectId, read } = fixture;
  const user = await project.user();
  const viewer = await openAccount(app);
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const pages = openDashboard(app, viewer);
  const page = await pages.get(`${path}/${user.id}`);
  assert.equal(page.status, 200);
  assert.equal([...page.document.querySelectorAll("main form")].length, 0);
  for (const what of ["disable", "enable", "delete", "sessions", `sessions/${user.id}`]) {
    assert.equal((await pages.submit(`${path}/${user.id}/${what}`)).status, 403, what);
  }
  assert.equal((await read(user.id))?.disabled, false);
  const stranger = openDashboard(app, await openAccount(app));
  assert.equal((await stranger.get(path)).status, 404);
  assert.equal((await stranger.get(`${path}/${user.id}`)).status, 404);
  const other = await app.project();
  const elsewhere = `/dashboard/projects/${other.projectId}/users/${user.id}`;
  const otherDashboard = openDashboard(app, await other.owner());
  assert.equal((await otherDashboard.get(elsewhere)).status, 404, "a user of another project");
});
