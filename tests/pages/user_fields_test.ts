import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openUserFields(app: TestApp) {
  const pages = await openProjectPages(app);
  const owner = await pages.project.owner();
  const path = `${pages.home}/users/fields`;
  const api = `/api/projects/${pages.project.projectId}/users/fields`;
  return {
    ...pages,
    path,
    page: () => pages.dashboard.get(path),
    declared: async () => (await owner.send({ path: api })).body.data.fields,
    declare: (fields: unknown) => owner.send({ method: "PUT", path: api, body: { fields } }),
  };
}

const FIELDS = [
  { key: "company", type: "String", required: true, public: true },
  { key: "tags", type: "Array", items: { type: "String" }, default: ["new"] },
  {
    key: "address",
    type: "Object",
    public: true,
    fields: [{ key: "city", type: "String", required: true }],
  },
  { key: "boss", type: "Ref", ref: "users" },
];

const keys = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("[name$='.key']")].map((one) => one.getAttribute("value"));

Deno.test("saving untouched user fields changes nothing, whatever is declared", async () => {
  await using app = await openTestApp();
  const { dashboard, page, path, declare, declared } = await openUserFields(app);
  await declare(FIELDS);
  const before = await declared();
  const answer = await dashboard.fill(await page(), "Save fields");
  assert.equal(answer.location, `${path}?done=saved`);
  assert.match((await dashboard.follow(answer)).words, /The fields are saved/);
  assert.deepEqual(await declared(), before);
});

Deno.test("user fields are added row by row, public or not, and saved only by the save button", async () => {
  await using app = await openTestApp();
  const { dashboard, page, declared, project } = await openUserFields(app);
  assert.match((await page()).words, /Nothing is declared/);
  const first = await dashboard.fill(await page(), "Add field");
  const named = await dashboard.fill(first, "Add field", {
    "0.key": "company",
    "0.public": "on",
    "0.required": "on",
  });
  assert.deepEqual(keys(named), ["company", ""]);
  assert.deepEqual(await declared(), []);
  const saved = await dashboard.fill(named, "Save fields", {
    "1.key": "seats",
    "1.type": "Number",
    "1.default": "1",
  });
  assert.equal(saved.status, 303);
  assert.deepEqual(
    (await declared()).map((one: Record<string, unknown>) => [
      one.key,
      one.type,
      one.required,
      one.public,
      one.default,
    ]),
    [["company", "String", true, true, undefined], ["seats", "Number", false, false, 1]],
  );
  const body = { email: "ada@example.com", password: "seven wet stones 41", username: "ada" };
  const signUp = { path: "/api/userAuth/signup" };
  assert.equal((await project.asPublic({ ...signUp, body })).status, 400);
  const full = { ...body, company: "Engines" };
  assert.equal((await project.asPublic({ ...signUp, body: full })).status, 201);
  const shown = await project.asPublic({ path: "/api/userAuth/public/ada" });
  assert.deepEqual([shown.body.data.company, shown.body.data.seats], ["Engines", undefined]);

  const less = await dashboard.fill(await page(), "Remove company");
  assert.deepEqual(keys(less), ["seats"]);
  assert.equal((await declared()).length, 2);
});

Deno.test(`rows of user fields have "public", and no options of collections`, async () => {
  await using app = await openTestApp();
  const { page, declare, dashboard, home, project } = await openUserFields(app);
  await declare(FIELDS);
  const { document } = await page();
  const boxes = [...document.querySelectorAll("[type=checkbox]")]
    .map((one) => one.getAttribute("name")!.replace(/^[\d.i]+\./, ""));
  assert.deepEqual([...new Set(boxes)].toSorted(), ["public", "required"]);
  assert.equal(
    boxes.filter((name) => name === "public").length,
    FIELDS.length,
    "only at the top level",
  );
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  const fields = await dashboard.get(`${home}/collections/posts/fields`);
  assert.equal(fields.document.querySelector("[name$='.public']"), null);
});

Deno.test("a refusal is shown next to its row, all rows stay, and nothing is saved", async () => {
  await using app = await openTestApp();
  const { dashboard, page, declare, declared } = await openUserFields(app);
  await declare([{ key: "company", type: "String" }, { key: "seats", type: "Number" }]);
  const before = await declared();
  const first = await page();
  const cases: readonly [Record<string, string>, string, RegExp][] = [
    [{ "1.key": "email" }, "1.key", /is a member of every user/],
    [{ "1.key": "company" }, "1.key", /company/],
    [{ "1.default": "many" }, "1.key", /default/],
    ...HOSTILE_TEXTS.map((text): [Record<string, string>, string, RegExp] => [
      { "0.key": text },
      "0.key",
      /name|letters/i,
    ]),
  ];
  for (const [input, name, says] of cases) {
    const refused = await dashboard.fill(first, "Save fields", input);
    assert.equal(refused.status, 400, JSON.stringify(input));
    const field = refused.document.querySelector(`[name="${name}"]`)!;
    assert.equal(field.getAttribute("aria-invalid"), "true", JSON.stringify(input));
    assert.match(field.closest("li")!.querySelector("[role=alert]")!.textContent, says);
    assert.equal(keys(refused).length, 2);
    assertHarmless(refused);
  }
  assert.deepEqual(await declared(), before);
});

Deno.test("user fields that another person changed are only overwritten on request", async () => {
  await using app = await openTestApp();
  const { dashboard, page, declare, declared } = await openUserFields(app);
  await declare([{ key: "company", type: "String" }]);
  const first = await page();
  await declare([{ key: "team", type: "String" }]);
  const refused = await dashboard.fill(first, "Save fields", { "0.key": "firm" });
  assert.equal(refused.status, 412);
  assert.deepEqual(keys(refused), ["firm"]);
  assert.equal((await declared())[0].key, "team");
  assert.equal((await dashboard.fill(refused, "Save mine in its place")).status, 303);
  assert.equal((await declared())[0].key, "firm");
});

Deno.test("viewers read user fields and cannot change them", async () => {
  await using app = await openTestApp();
  const { as, path, declare, declared } = await openUserFields(app);
  await declare([{ key: "company", type: "String" }]);
  const viewer = await as("viewer");
  const page = await viewer.get(path);
  assert.deepEqual(keys(page), ["company"]);
  assert.deepEqual([...page.document.querySelectorAll("main button")], []);
  assert.equal((await viewer.submit(path, { "0.key": "b", "0.type": "String" })).status, 403);
  assert.equal((await (await as(null)).get(path)).status, 404);
  assert.deepEqual((await declared()).map((one: { key: string }) => one.key), ["company"]);
});
