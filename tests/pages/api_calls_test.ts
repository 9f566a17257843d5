import assert from "node:assert/strict";
import { callsOf, curlOf, fetchOf, PLACEHOLDERS } from "@/routes/dashboard/collections/calls.ts";
import { getCollection } from "@/lib/documents/save_collection.ts";
import type { Json } from "@/lib/store/port.ts";
import { assertHarmless, HOSTILE } from "../support/pages.ts";
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

for (const rls of [{ mode: "private" }, { mode: "public-read" }, { enabled: false }]) {
  const how = JSON.stringify(rls);
  Deno.test(`the calls shown for a collection with ${how} succeed as they are`, async () => {
    await using app = await openTestApp();
    const { home, dashboard, project } = await openProjectPages(app);
    await project.collection({ name: "posts", fields: FIELDS, rls, strict: true });
    const page = await dashboard.get(`${home}/collections/posts/api`);
    assertHarmless(page);
    const user = await project.user();
    const shown = [...page.document.querySelectorAll("copy-text")]
      .map((one) => one.getAttribute("text")!);
    const definition = await getCollection(app.services, project.projectId, "posts");
    const { publicUrl } = app.services.config;
    const calls = callsOf(definition, publicUrl);
    assert.deepEqual(shown, calls.flatMap((call) => [curlOf(call), fetchOf(call)]));
    let id = "";
    const real = (text: string) =>
      text.replace(PLACEHOLDERS.publishable, project.publishableKey)
        .replace(PLACEHOLDERS.secret, project.secretKey)
        .replace(PLACEHOLDERS.bearer, `Bearer ${user.token}`)
        .replace(PLACEHOLDERS.id, id);
    for (const { title, method, url, headers, body } of calls) {
      assert.ok(url.startsWith(publicUrl));
      const answer = await app.send({
        method,
        path: real(url.slice(publicUrl.length)),
        headers: Object.entries(headers).map(([name, value]) => [name, real(value)]),
        ...(body !== null && { body: JSON.stringify(body) }),
      });
      assert.equal(answer.status, title === "Create" ? 201 : 200, `${title}: ${answer.text}`);
      if (title === "Create") id = answer.body.data._id;
    }
  });
}

Deno.test("a call is one word of a shell, and one value of JavaScript, whatever is in it", async () => {
  const body: Record<string, Json> = { title: `it's "so" $HOME \`x\`` };
  HOSTILE.forEach((text, i) => body[`field${i}`] = text);
  const url = "http://localhost/api/data/posts?title=it%27s";
  const headers = { "x-api-key": "pk" };
  const call = { title: "Create", method: "POST", url, headers, body };
  const script = curlOf(call).replace(/^curl/, "printf '%s\\0'");
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const words = new TextDecoder().decode(stdout).split("\0").slice(0, -1);
  assert.deepEqual(words, [
    url,
    "-X",
    "POST",
    "-H",
    "x-api-key: pk",
    "-d",
    JSON.stringify(body),
  ]);
  let asked: unknown;
  const run = new Function("fetch", `return (async () => {${fetchOf(call)}})()`);
  await run((to: string, options: object) => {
    asked = [to, options];
    return Promise.resolve({ json: () => Promise.resolve({}) });
  });
  assert.deepEqual(asked, [url, { method: "POST", headers, body: JSON.stringify(body) }]);
});
