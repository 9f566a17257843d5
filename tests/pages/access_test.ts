import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp, type TestUser } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openAccess(app: TestApp, definition: object = {}) {
  const pages = await openProjectPages(app);
  const { home, dashboard, project } = pages;
  await project.collection({ name: "posts", ...definition });
  return {
    ...pages,
    look: () => dashboard.get(`${home}/collections/posts/access`),
    async stored() {
      const all = await listCollections(app.services, project.projectId);
      return all.find(({ name }) => name === "posts")!;
    },
  };
}

/** Returns the rights that the page shows for a choice, by caller. */
function statedRights({ document }: PageAnswer, choice: string): Record<string, string[]> {
  const rows = [...document.querySelectorAll(`.who.${choice} tbody tr`)];
  return Object.fromEntries(rows.map((row) => [
    row.querySelector("th")!.textContent,
    [...row.querySelectorAll("td")].map((cell) => cell.textContent),
  ]));
}

for (const choice of ["private", "public-read", "off"]) {
  Deno.test(`the table of ${choice} states the actual rights of the four callers`, async () => {
    await using app = await openTestApp();
    const { look, dashboard, project, stored } = await openAccess(app);
    const saved = await dashboard.fill(await look(), "Save access", { access: choice });
    assert.equal(saved.status, 303);
    const page = await dashboard.follow(saved);
    const checked = page.document.querySelector("[name=access][checked]")!;
    assert.equal(checked.getAttribute("value"), choice);
    const isOff = choice === "off";
    assert.equal((await stored()).rls.enabled, !isOff);
    const [ann, bob] = [await project.user(), await project.user()];

    type Send = (call: Call) => Promise<Answer>;
    const make = async (owner: TestUser | null) => {
      const body = owner === null ? {} : { userId: owner.id };
      const answer = await project.asSecret({ path: "/api/data/posts", body });
      return answer.body.data._id as string;
    };
    /** Describes the responses about Ann's row, and optionally about rows of others. */
    const describeStatuses = (own: number, others: readonly number[]): string => {
      if (others.every((status) => status === own)) {
        return { 200: "all rows", 401: "sign-in needed", 403: "refused", 404: "hidden" }[own]!;
      }
      assert.equal(own, 200);
      assert.ok(others.every((status) => status === 403 || status === 404));
      return "own rows";
    };
    const statuses = async (send: Send, judgesOthers: boolean, call: (id: string) => Call) => {
      const ask = async (owner: TestUser | null) => (await send(call(await make(owner)))).status;
      return describeStatuses(
        await ask(ann),
        judgesOthers ? [await ask(bob), await ask(null)] : [],
      );
    };
    async function createRight(send: Send, who: TestUser | null): Promise<string> {
      const own = await send({ path: "/api/data/posts", body: {} });
      if (own.status === 401) return "sign-in needed";
      if (own.status === 403) return "refused";
      const another = "0123456789abcdef01234567";
      const others = await send({ path: "/api/data/posts", body: { userId: another } });
      if (others.status === 201) return isOff ? "any row" : "any owner";
      assert.equal(own.body.data.userId, who!.id);
      return "as owner";
    }
    async function actualRights(send: Send, who: TestUser | null, judgesOthers: boolean) {
      const at = (id: string) => `/api/data/posts/${id}`;
      const read = await statuses(send, judgesOthers, (id) => ({ path: at(id) }));
      const annsId = await make(ann);
      const list = await send({ path: "/api/data/posts" });
      const isListed = list.status === 200 &&
        (list.body.data.items as { _id: string }[]).some(({ _id }) => _id === annsId);
      assert.equal(
        isListed,
        ["all rows", "own rows"].includes(read),
        "lists and reads give the same result",
      );
      const change = await statuses(
        send,
        judgesOthers,
        (id) => ({ method: "PATCH", path: at(id), body: { title: "changed" } }),
      );
      const remove = (id: string): Call => ({ method: "DELETE", path: at(id) });
      assert.equal(await statuses(send, judgesOthers, remove), change);
      return [read, await createRight(send, who), change];
    }

    assert.deepEqual(statedRights(page, choice), {
      "publishable key": await actualRights((call) => project.asPublic(call), null, true),
      "+ signed-in user": await actualRights((call) => project.asPublic(call, ann), ann, true),
      "+ another user": await actualRights((call) => project.asPublic(call, bob), bob, false),
      "secret key": await actualRights(project.asSecret, null, true),
    });
  });
}

Deno.test("another owner field can be chosen, and an unsuitable one is refused next to its input", async () => {
  await using app = await openTestApp();
  const { look, dashboard, stored } = await openAccess(app, {
    fields: [
      { key: "author", type: "Ref", ref: "users" },
      { key: "writer", type: "String" },
      { key: "views", type: "Number" },
    ],
  });
  const page = await look();
  const options = [...page.document.querySelectorAll("[name=ownerField] option")];
  assert.deepEqual(options.map((one) => one.textContent), ["userId", "author", "writer"]);
  await dashboard.fill(page, "Save access", { ownerField: "author", access: "public-read" });
  assert.deepEqual((await stored()).rls, {
    enabled: true,
    mode: "public-read",
    ownerField: "author",
  });
  for (const ownerField of ["views", "_id", ...HOSTILE_TEXTS]) {
    const refused = await dashboard.fill(page, "Save access", { ownerField, access: "private" });
    assert.equal(refused.status, 400, ownerField);
    const card = refused.document.querySelector("[role=alert]")!.closest("article")!;
    assert.match(card.querySelector("h2")!.textContent, /Owner field/);
    const checked = refused.document.querySelector("[name=access][checked]")!;
    assert.equal(checked.getAttribute("value"), "private");
    assertHarmless(refused);
  }
  assert.equal((await stored()).rls.ownerField, "author");
  const odd = await dashboard.fill(page, "Save access", { access: HOSTILE_TEXTS[0] });
  assert.equal(odd.status, 400);
  assertHarmless(odd);
});

const indexRows = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("tbody tr")]
    .filter((row) => row.closest(".who") === null)
    .map((row) => [row.querySelector("th")!.textContent, row.querySelector("td")!.textContent]);

const FIELDS = [
  { key: "slug", type: "String" },
  { key: "views", type: "Number", index: true },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  { key: "tags", type: "Array", items: { type: "String" } },
];

Deno.test("indexes are listed, added and removed", async () => {
  await using app = await openTestApp();
  const { look, dashboard, stored } = await openAccess(app, { fields: FIELDS });
  const page = await look();
  const server = [["createdAt", "plain"], ["userId, createdAt", "plain"]];
  assert.deepEqual(indexRows(page), [...server, ["views", "plain"]]);
  const options = [...page.document.querySelectorAll("[name=field] option")];
  assert.deepEqual(options.map((one) => one.textContent), [
    "slug",
    "views",
    "meta.lang",
    "tags",
    "userId",
  ]);
  const added = await dashboard.fill(page, "Add index", { field: "meta.lang" });
  assert.match((await dashboard.follow(added)).words, /The index is created/);
  await dashboard.fill(page, "Add index", { field: "slug", unique: "on" });
  const three = await look();
  assert.deepEqual(indexRows(three), [
    ...server,
    ["slug", "unique"],
    ["views", "plain"],
    ["meta.lang", "plain"],
  ]);
  assert.match(three.words, /Lists that filter or sort by views may then read every row/);
  assert.match(three.words, /Two documents may then have the same slug/);
  await dashboard.fill(three, "Add index", { field: "tags" });
  assert.deepEqual(indexRows(await look()).at(-1), ["tags", "plain"]);
  for (const field of ["slug", "views", "meta.lang", "tags"]) {
    await dashboard.fill(await look(), `Remove the index of ${field}`);
  }
  assert.deepEqual(indexRows(await look()), server);
  const { fields } = await stored();
  assert.ok(fields.every(({ index, unique }) => !index && !unique));
});

Deno.test("a unique index that stored documents violate is refused next to the indexes", async () => {
  await using app = await openTestApp();
  const { look, dashboard, project, stored } = await openAccess(app, { fields: FIELDS });
  for (const slug of ["a", "a"]) {
    await project.asSecret({ path: "/api/data/posts", body: { slug } });
  }
  const before = await stored();
  const add = { field: "slug", unique: "on" };
  const refused = await dashboard.fill(await look(), "Add index", add);
  assert.equal(refused.status, 409);
  const card = refused.document.querySelector("[role=alert]")!.closest("article")!;
  assert.equal(card.querySelector("h2")!.textContent, "Indexes");
  assert.match(card.textContent, /"slug" is not unique/);
  assert.ok(card.querySelector("[name=unique]")!.hasAttribute("checked"));
  const nested = await dashboard.fill(await look(), "Add index", { ...add, field: "meta.lang" });
  assert.match(nested.document.querySelector("[role=alert]")!.textContent, /cannot be unique/);
  assert.deepEqual(await stored(), before);
});

Deno.test("with row rules, rows of an owner are found by an index automatically", async () => {
  await using app = await openTestApp();
  const { look, dashboard, project } = await openAccess(app, { fields: FIELDS });
  // A query plan needs an existing collection, which MongoDB creates with the first row.
  const row = await project.asSecret({ path: "/api/data/posts", body: { slug: "a" } });
  assert.equal(row.status, 201, row.text);
  for (const access of ["private", "public-read"]) {
    await dashboard.fill(await look(), "Save access", { access, ownerField: "slug" });
    assert.deepEqual(indexRows(await look())[1], ["slug, createdAt", "plain"]);
    const answer = await project.asSecret({ path: "/api/data/posts?slug=a&explain=true" });
    assert.equal(answer.body.data.explain.index?.[0].replace("-", ""), "slug", answer.text);
  }
  await dashboard.fill(await look(), "Save access", { access: "off" });
  assert.deepEqual(indexRows(await look()), [["createdAt", "plain"], ["views", "plain"]]);
});
