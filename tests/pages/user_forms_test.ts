import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer, textAreaValue } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const PASSWORD = "seven wet stones 41";

const FIELDS = [
  { key: "company", type: "String", required: true, public: true },
  { key: "seats", type: "Number" },
  { key: "address", type: "Object", fields: [{ key: "city", type: "String" }] },
];

async function openUserForms(app: TestApp) {
  const pages = await openProjectPages(app);
  const { project } = pages;
  const owner = await project.owner();
  const path = `${pages.home}/users`;
  const api = `/api/projects/${project.projectId}/users`;
  const list = async () => (await owner.send({ path: api })).body.data.items;
  return {
    ...pages,
    path,
    list,
    new: () => pages.dashboard.get(`${path}/new`),
    edit: (id: string) => pages.dashboard.get(`${path}/${id}/edit`),
    read: async (id: string) => (await owner.send({ path: `${api}/${id}` })).body.data,
    declare: (fields: unknown) =>
      owner.send({ method: "PUT", path: `${api}/fields`, body: { fields } }),
    create: async (body: unknown): Promise<string> =>
      (await owner.send({ path: api, body })).body.data._id,
    change: (id: string, body: unknown) =>
      owner.send({ method: "PATCH", path: `${api}/${id}`, body }),
    logIn: async (email: string, password = PASSWORD) =>
      (await project.asPublic({ path: "/api/userAuth/login", body: { email, password } })).status,
  };
}

const idIn = ({ location }: PageAnswer): string => /users\/([0-9a-f]{24})/.exec(location!)![1]!;

/** Returns the fault at a field. Fails unless the field refers to it. */
function faultAt({ document }: PageAnswer, name: string): string {
  const field = document.querySelector(`[name="${name}"]`)!;
  assert.equal(field.getAttribute("aria-invalid"), "true", name);
  return document.querySelector(`#${field.getAttribute("aria-describedby")}`)!.textContent;
}

Deno.test("a user is created with all values of the form, and signs in", async () => {
  await using app = await openTestApp();
  const { dashboard, declare, path, read, logIn, ...fixture } = await openUserForms(app);
  await declare(FIELDS);
  const answer = await dashboard.fill(await fixture.new(), "Create user", {
    email: "ada@example.com",
    emailVerified: "on",
    password: PASSWORD,
    name: "Ada",
    username: "ada",
    avatarUrl: "https://pictures.example/ada.png",
    roles: "editor,  reviewer",
    "f.company": "Engines",
    "f.seats": "3",
    "f.address": '{ "city": "London" }',
  });
  const page = await dashboard.follow(answer);
  assert.match(page.words, /The user is created/);
  assert.match(page.words, /Roleseditorreviewer/);
  assert.match(page.words, /companyEngines/);
  const user = await read(idIn(answer));
  assert.deepEqual(
    [user.email, user.emailVerified, user.name, user.username, user.avatarUrl, user.roles],
    ["ada@example.com", true, "Ada", "ada", "https://pictures.example/ada.png", [
      "editor",
      "reviewer",
    ]],
  );
  assert.deepEqual([user.company, user.seats, user.address], ["Engines", 3, { city: "London" }]);
  assert.equal(await logIn("ada@example.com"), 200);
  assert.match((await dashboard.get(path)).words, /ada@example\.com +Adaeditorreviewerpassword/);
});

Deno.test("missing values of a new user are left empty", async () => {
  await using app = await openTestApp();
  const { dashboard, read, logIn, ...fixture } = await openUserForms(app);
  const email = "ada@example.com";
  const answer = await dashboard.fill(await fixture.new(), "Create user", { email });
  const user = await read(idIn(answer));
  assert.deepEqual(
    [user.emailVerified, user.name, user.username, user.avatarUrl, user.roles, user.claims],
    [false, null, null, null, [], {}],
  );
  assert.equal(await logIn(email, ""), 400);
});

Deno.test("each refusal of a new user is reported at its field, and all but the password stays", async () => {
  await using app = await openTestApp();
  const { dashboard, declare, create, list, ...fixture } = await openUserForms(app);
  await declare(FIELDS);
  await create({ email: "taken@example.com", username: "taken", company: "Engines" });
  const page = await fixture.new();
  const fit = { email: "ada@example.com", name: "Ada", "f.company": "Engines" };
  const cases: readonly [string, string, RegExp, number][] = [
    ["email", "no address", /must be one plain address/, 400],
    ["email", "TAKEN@example.com", /exists already/, 409],
    ["password", "short", /8 to 200 characters/, 400],
    ["password", "ada@example.com", /guessed first/, 400],
    ["username", "a b", /letters, digits/, 400],
    ["username", "Taken", /Another user has this username/, 409],
    ["avatarUrl", "http://plain.example/a.png", /https address/, 400],
    ["roles", "no/role", /words of letters/, 400],
    ["f.company", "", /is required/, 400],
    ["f.seats", "many", /must be/, 400],
    ["f.address", "{ no JSON", /is not valid JSON \(line 1, column 3: a name in double/, 400],
    ...HOSTILE_TEXTS.map((
      text,
    ): [string, string, RegExp, number] => ["email", text, /plain address/, 400]),
  ];
  for (const [name, value, says, status] of cases) {
    const refused = await dashboard.fill(page, "Create user", { ...fit, [name]: value });
    assert.equal(refused.status, status, `${name} ${value}`);
    assert.match(faultAt(refused, name), says, `${name} ${value}`);
    assert.equal(refused.document.querySelector("main [role=alert]"), null, "it is reported once");
    const kept = refused.document.querySelector(`[name="${name}"]`)!;
    const shown = kept.tagName === "TEXTAREA" ? textAreaValue(kept) : kept.getAttribute("value");
    assert.equal(shown, name === "password" ? null : value);
    assert.equal(refused.document.querySelector("[name=name]")!.getAttribute("value"), "Ada");
    assertHarmless(refused);
  }
  assert.equal((await list()).length, 1, "no user was created");
});

Deno.test("an untouched form of a user changes nothing, and an emptied field clears its value", async () => {
  await using app = await openTestApp();
  const { dashboard, declare, create, read, edit } = await openUserForms(app);
  await declare(FIELDS);
  const id = await create({
    email: "ada@example.com",
    emailVerified: true,
    password: PASSWORD,
    name: "Ada",
    username: "Ada",
    roles: ["editor"],
    claims: { team: "a", "__x": [1] },
    company: "Engines",
    address: { city: "London" },
  });
  const before = await read(id);
  app.clock.advance(60_000);
  const answer = await dashboard.fill(await edit(id), "Save user");
  assert.match((await dashboard.follow(answer)).words, /The user is saved/);
  assert.deepEqual(await read(id), before);

  await dashboard.fill(await edit(id), "Save user", {
    name: "",
    username: "",
    roles: "",
    claims: "",
    "f.address": "",
  });
  const { name, username, roles, claims, address, company, email } = await read(id);
  assert.deepEqual([name, username, roles, claims, address], [null, null, [], {}, null]);
  assert.deepEqual([company, email], ["Engines", "ada@example.com"]);
});

Deno.test("another e-mail counts as not verified and ends the sessions; a password is set", async () => {
  await using app = await openTestApp();
  const { dashboard, create, read, edit, logIn, project } = await openUserForms(app);
  const id = await create({ email: "ada@example.com", emailVerified: true, password: PASSWORD });
  const answer = await project.asPublic({
    path: "/api/userAuth/login",
    body: { email: "ada@example.com", password: PASSWORD },
  });
  const me = async () =>
    (await project.asPublic({ path: "/api/userAuth/me" }, {
      id,
      token: answer.body.data.accessToken,
    })).status;
  await dashboard.fill(await edit(id), "Save user", { claims: '{ "team": "b" }', roles: "editor" });
  assert.deepEqual([(await read(id)).claims, (await read(id)).roles], [{ team: "b" }, ["editor"]]);
  assert.equal(await me(), 200, "roles and claims end no session");
  await dashboard.fill(await edit(id), "Save user", {
    email: "bea@example.com",
    password: "other dry stones 52",
  });
  assert.deepEqual(
    [(await read(id)).email, (await read(id)).emailVerified],
    ["bea@example.com", false],
  );
  assert.equal(await me(), 401);
  assert.equal(await logIn("bea@example.com", "other dry stones 52"), 200);
  await dashboard.fill(await edit(id), "Save user", { emailVerified: "on" });
  assert.equal((await read(id)).emailVerified, true);
});

Deno.test("invalid or too many claims are refused at their field and stay as entered", async () => {
  await using app = await openTestApp();
  const { dashboard, create, read, edit } = await openUserForms(app);
  const id = await create({ email: "ada@example.com" });
  const page = await edit(id);
  const cases = [
    ["{ no JSON", /"claims" is not valid JSON \(line 1, column 3: a name in double quotes/],
    ["[1]", /must be an object/],
    ["12", /must be an object/],
    [JSON.stringify({ a: "x".repeat(1024) }), /up to 1024 bytes/],
    ["</textarea><script>1</script>", /is not valid JSON \(line 1, column 1: a value/],
  ] as const;
  for (const [claims, says] of cases) {
    const refused = await dashboard.fill(page, "Save user", { claims });
    assert.equal(refused.status, 400, claims);
    assert.match(faultAt(refused, "claims"), says);
    assert.equal(textAreaValue(refused.document.querySelector("[name=claims]")!), claims);
    assertHarmless(refused);
  }
  assert.deepEqual((await read(id)).claims, {});
});

Deno.test("a user that another person changed is only overwritten on request", async () => {
  await using app = await openTestApp();
  const { dashboard, create, read, edit, change } = await openUserForms(app);
  const id = await create({ email: "ada@example.com", name: "Ada" });
  const page = await edit(id);
  app.clock.advance(1000);
  await change(id, { name: "Countess" });
  const refused = await dashboard.fill(page, "Save user", { name: "Mine" });
  assert.equal(refused.status, 412);
  assert.match(refused.words, /This user has changed/);
  assert.equal(refused.document.querySelector("[name=name]")!.getAttribute("value"), "Mine");
  assert.equal((await read(id)).name, "Countess");
  assert.equal((await dashboard.fill(refused, "Save user")).status, 412, "still not");
  const over = await dashboard.fill(refused, "Save mine in its place");
  assert.equal(over.status, 303);
  assert.equal((await read(id)).name, "Mine");
});

Deno.test("anonymous users are distinguishable, and get an address by the form", async () => {
  await using app = await openTestApp();
  const { dashboard, project, path, read, edit } = await openUserForms(app);
  const owner = await project.owner();
  const settings = { auth: { anonymous: true } };
  const at = `/api/projects/${project.projectId}`;
  await owner.send({ method: "PATCH", path: at, body: settings });
  const created = await project.asPublic({ method: "POST", path: "/api/userAuth/anonymous" });
  const id = created.body.data.userId;
  assert.match((await dashboard.get(path)).words, new RegExp(`${id} anonymous`));
  assert.match((await dashboard.get(`${path}/${id}`)).words, /their session is all they have/);
  await dashboard.fill(await edit(id), "Save user", { email: "ada@example.com" });
  assert.equal((await read(id)).isAnonymous, false);
  assert.doesNotMatch((await dashboard.get(path)).words, /anonymous/);
});

Deno.test("viewers see no form of users, and users of other projects cannot be edited", async () => {
  await using app = await openTestApp();
  const { as, create, path, list, dashboard } = await openUserForms(app);
  const id = await create({ email: "ada@example.com" });
  const viewer = await as("viewer");
  assert.doesNotMatch((await viewer.get(path)).words, /New user/);
  assert.equal((await viewer.get(`${path}/new`)).status, 403);
  assert.equal((await viewer.submit(`${path}/new`, { email: "b@example.com" })).status, 403);
  assert.equal((await viewer.get(`${path}/${id}/edit`)).status, 403);
  assert.equal((await viewer.submit(`${path}/${id}/edit`, { name: "B" })).status, 403);
  const admin = await as("admin");
  assert.equal((await admin.get(`${path}/${id}/edit`)).status, 200);
  const other = await openProjectPages(app);
  const elsewhere = await other.dashboard.submit(`${other.home}/users/${id}/edit`, { name: "B" });
  assert.equal(elsewhere.status, 404);
  const [user] = await list();
  assert.deepEqual([(await list()).length, user.name], [1, null]);
  assert.equal((await dashboard.get(`${path}/nobody/edit`)).status, 400);
});
