import assert from "node:assert/strict";
import { EXAMPLE_ID } from "@/openapi/schemas/values.ts";
import { PLACEHOLDERS } from "@/routes/dashboard/collections/calls.ts";
import { updateCollection } from "../support/given.ts";
import { assertHarmless, type PageAnswer } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

const FIELDS = [
  { key: "title", type: "String", required: true },
  { key: "views", type: "Number", required: true, default: 3 },
  { key: "open", type: "Boolean", required: true },
  { key: "at", type: "Date", required: true },
  { key: "self", type: "Ref", ref: "posts" },
  {
    key: "meta",
    type: "Object",
    required: true,
    fields: [{ key: "lang", type: "String", required: true }],
  },
  { key: "tags", type: "Array", required: true, items: { type: "String" } },
];

const RUN = ["Create", "CreateMany", "List", "Aggregate", "Get", "Replace", "Patch", "Delete"];

const samplesOn = ({ document }: PageAnswer): Record<string, string> =>
  Object.fromEntries(
    [...document.querySelectorAll(".snippet")].map((one) => [
      one.querySelector("figcaption span")!.textContent,
      one.querySelector("code")!.textContent,
    ]),
  );

const namesOn = ({ document }: PageAnswer) =>
  [...document.querySelectorAll("nav[aria-label=Operations] a")].map((one) =>
    new URL(one.getAttribute("href")!, "http://x").searchParams.get("operation")!
  );

/** Returns the request of a curl command: method, address, headers and body. */
async function requestOf(curl: string) {
  const script = curl.replace(/^curl/, "printf '%s\\0'");
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const words = new TextDecoder().decode(stdout).split("\0").slice(0, -1);
  const after = (option: string) =>
    words.flatMap((word, i) => words[i - 1] === option ? [word] : []);
  const url = words.find((word) => word.startsWith("http"))!;
  return {
    method: after("-X")[0] ?? "GET",
    url,
    headers: after("-H").map((line) => line.split(/: (.*)/s) as [string, string, string]),
    body: after("-d")[0],
  };
}

for (const rls of [{ mode: "private" }, { mode: "public-read" }, { enabled: false }]) {
  for (const audience of ["client", "server"] as const) {
    const how = `${JSON.stringify(rls)} for a ${audience}`;
    Deno.test(`the sample calls for a collection with ${how} succeed unchanged`, async () => {
      await using app = await openTestApp();
      const { home, dashboard, project } = await openProjectPages(app);
      await project.collection({ name: "posts", fields: FIELDS, rls, strict: true });
      const path = `${home}/collections/posts/api?for=${audience}`;
      const names = namesOn(await dashboard.get(path));
      const isReadOnly = audience === "client" && rls.enabled === false;
      assert.equal(names.includes("Create"), !isReadOnly);
      const user = await project.user();
      const document = { title: "a", open: true, at: "2026-01-31", meta: { lang: "en" }, tags: [] };
      let id = (await (isReadOnly || audience === "server"
        ? project.asSecret({ path: "/api/data/posts", body: document })
        : project.asPublic({ path: "/api/data/posts", body: document }, user))).body.data._id;
      const real = (text: string) =>
        text.replace(PLACEHOLDERS.secret, project.secretKey)
          .replace("<accessToken>", user.token)
          .replace(EXAMPLE_ID, id);
      const { publicUrl } = app.services.config;
      for (
        const name of RUN.filter((one) =>
          names.includes(one)
        )
      ) {
        const page = await dashboard.get(`${path}&operation=${name}`);
        assertHarmless(page);
        const samples = samplesOn(page);
        for (const language of ["curl", "fetch", "Python", "Client"]) {
          assert.ok(samples[language]!.includes("posts"), `${name} in ${language}`);
        }
        const { method, url, headers, body } = await requestOf(samples.curl!);
        assert.ok(url.startsWith(`${publicUrl}/api/data/posts`));
        const answer = await app.send({
          method,
          path: real(url.slice(publicUrl.length)),
          headers: [
            ...headers.map(([header, value]) => [header, real(value)] as [string, string]),
            ...(rls.mode === "private" && audience === "client" &&
                !headers.some(([header]) => header === "authorization")
              ? [["authorization", `Bearer ${user.token}`] as [string, string]]
              : []),
          ],
          ...(body !== undefined && { body }),
        });
        const created = name === "Create" || name === "CreateMany";
        assert.equal(answer.status, created ? 201 : 200, `${name}: ${answer.text}`);
        if (name === "Create") id = answer.body.data._id;
      }
    });
  }
}

Deno.test("an operation shows its parameters, filters, answers and refusals for the project", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts", fields: FIELDS, rls: { mode: "public-read" } });
  const page = await dashboard.get(`${home}/collections/posts/api?operation=List`);
  const names = [...page.document.querySelectorAll(".api-parts code.name")]
    .map((one) => one.textContent);
  for (const name of ["limit", "cursor", "populate", "views", "_id", "nextCursor"]) {
    assert.ok(names.includes(name), name);
  }
  const filters = [...page.document.querySelectorAll(".names code")].map((one) => one.textContent);
  assert.ok(filters.includes("views_gte") && !filters.includes("limit"));
  assert.match(page.words, /UNKNOWN_OPERATOR/);
  const create = await dashboard.get(`${home}/collections/posts/api?operation=Create`);
  assert.match(create.words, /INVALID_DOCUMENT/);
});

Deno.test("each named schema is written once, and other mentions link to it", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  const others = ["authors", "editors", "reviewers"];
  for (const name of others) {
    await project.collection({ name, fields: [{ key: "name", type: "String" }] });
  }
  await project.collection({
    name: "posts",
    fields: [...FIELDS, ...others.map((name) => ({ key: name, type: "Ref", ref: name }))],
    rls: { mode: "public-read" },
  });
  for (const name of others) {
    const fields = [...others, "posts"].map((ref) => ({ key: `in_${ref}`, type: "Ref", ref }));
    await updateCollection(app.services, project.projectId, { name, fields });
  }
  for (const name of ["List", "Get", "Create", "CreateMany", "Replace", "Patch"]) {
    const page = await dashboard.get(`${home}/collections/posts/api?operation=${name}`);
    const ids = [...page.document.querySelectorAll("[id]")].map((one) => one.getAttribute("id")!);
    assert.equal(new Set(ids).size, ids.length, `${name}: ${ids.join(" ")}`);
    const schemas = ids.filter((id) => id.startsWith("schema-"));
    assert.ok(schemas.length > 1, `${name}: ${schemas.join(" ")}`);
    const links = [...page.document.querySelectorAll(".again a")];
    for (const link of links) assert.ok(ids.includes(link.getAttribute("href")!.slice(1)), name);
    if (name === "List") assert.ok(links.length > 1, "several schemas refer to posts");
    assert.ok(page.text.length < 200_000, `${name}: ${page.text.length}`);
  }
});

Deno.test("reads run with the project's key, and calls that change documents ask first", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts", fields: FIELDS, rls: { mode: "public-read" } });
  const path = `${home}/collections/posts/api`;
  const list = await dashboard.get(path);
  const run = list.document.querySelector("run-call")!;
  assert.equal(run.getAttribute("key"), project.publishableKey);
  assert.equal(run.getAttribute("method"), "GET");
  assert.equal(run.querySelector("details"), null);
  assert.ok(samplesOn(list).curl!.includes(project.publishableKey));
  const remove = await dashboard.get(`${path}?operation=Delete`);
  assert.match(
    remove.document.querySelector("run-call details.ask")!.textContent,
    /This changes documents of the project/,
  );
  const server = await dashboard.get(`${path}?operation=Delete&for=server`);
  assert.equal(server.document.querySelector("run-call"), null, "no page contains a secret key");
  for (const name of ["Listen", "CreateTicket"]) {
    const live = await dashboard.get(`${path}?operation=${name}`);
    assert.equal(live.document.querySelector("run-call"), null);
  }
});

Deno.test("an unknown operation shows the first one, and an unknown collection is 404", async () => {
  await using app = await openTestApp();
  const { home, dashboard, project } = await openProjectPages(app);
  await project.collection({ name: "posts", fields: FIELDS });
  const page = await dashboard.get(`${home}/collections/posts/api?operation=__proto__&for=x`);
  assert.equal(page.status, 200);
  assert.equal(namesOn(page)[0], "List");
  assert.equal((await dashboard.get(`${home}/collections/none/api`)).status, 404);
});
