import assert from "node:assert/strict";
import { PROBLEMS } from "@/lib/problems.ts";
import { CONTRACTS } from "@/openapi/document.ts";
import { guides } from "@/openapi/introduction.ts";
import published from "@/openapi/openapi.json" with { type: "json" };
import { parametersOf } from "@/openapi/shared_parts.ts";
import { refused } from "../api/test_collection.ts";
import { pageOf } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

async function look(app: TestApp, path: string) {
  const answer = await app.send({ path });
  assert.equal(answer.status, 200, path);
  const { document } = pageOf(answer);
  const main = document.querySelector("main")!;
  return { document, text: main.textContent.replaceAll(/\s+/g, " "), html: answer.text };
}

const plain = (text: string): string => text.replaceAll("`", "").replaceAll(/\s+/g, " ");

interface Stored {
  readonly parameters?: readonly { name: string; in: string; description: string }[];
  readonly requestBody?: { readonly content: Record<string, { schema: { $ref?: string } }> };
  readonly responses: Record<string, { description?: string }>;
}

const PATHS = published.paths as unknown as Record<string, Record<string, Stored>>;
const SCHEMAS = published.components.schemas as Record<string, { properties?: object }>;

Deno.test("the page of an operation has its complete description", async () => {
  await using app = await openTestApp();
  for (const { operationId, path, method, summary, codes } of CONTRACTS) {
    const { document, text } = await look(app, `/docs/operations/${operationId}`);
    const has = (part: string) => assert.ok(text.includes(part), `${operationId}: ${part}`);
    assert.equal(document.querySelector("h1")!.textContent, summary);
    has(path);
    const stored = PATHS[path]![method]!;
    // deno-lint-ignore no-explicit-any -- The compiler types each member of a JSON module.
    for (const { name, description } of parametersOf(published as any, stored.parameters)) {
      has(name);
      // Compares only the part before the first Markdown markup.
      has(plain((description as string).split(/[\n*[<"&]/)[0]!));
    }
    for (const { schema } of Object.values(stored.requestBody?.content ?? {})) {
      const { properties = {} } = SCHEMAS[schema.$ref?.split("/").at(-1) ?? ""] ?? {};
      for (const name of Object.keys(properties)) has(name);
    }
    for (const [status, { description }] of Object.entries(stored.responses)) {
      has(status);
      if (description !== undefined) has(plain(description.split(/[\n*[<"&]/)[0]!));
    }
    for (const code of codes) has(code);
    assert.ok(document.querySelector("main section[data-try]"), operationId);
  }
});

Deno.test("the page of errors has every code with its message, cause and remedy", async () => {
  await using app = await openTestApp();
  const { document } = await look(app, "/docs/errors");
  const shown = new Map(
    [...document.querySelectorAll("article.problem")].map((article) => [
      article.querySelector("h3")!.textContent,
      article,
    ]),
  );
  assert.deepEqual([...shown.keys()].toSorted(), Object.keys(PROBLEMS).toSorted());
  for (const { status } of Object.values(PROBLEMS)) {
    assert.ok(document.querySelector(`h2[id="${status}"]`), String(status));
  }
  for (const [code, { message, when, remedy }] of Object.entries(PROBLEMS)) {
    const article = shown.get(code)!;
    const text = article.textContent.replaceAll(/\s+/g, " ");
    assert.equal(article.querySelector("blockquote")!.textContent, message);
    for (const part of [when, remedy]) assert.ok(text.includes(plain(part)), `${code}: ${part}`);
    assert.equal(article.querySelector("h3")!.getAttribute("id"), code.toLowerCase());
  }
});

Deno.test("every link of a guide leads to an existing page and heading of this server", async () => {
  await using app = await openTestApp();
  const anchors = new Map<string, Set<string>>();
  const links: [string, string][] = [];
  const pages = [...guides().map(({ name }) => `/docs/guides/${name}`), "/docs/errors"];
  for (const path of pages) {
    const { document } = await look(app, path);
    anchors.set(
      path,
      new Set([...document.querySelectorAll("[id]")].map((one) => one.getAttribute("id")!)),
    );
    for (const link of document.querySelectorAll("main a, main img")) {
      links.push([path, link.getAttribute("href") ?? link.getAttribute("src")!]);
    }
  }
  let seen = 0;
  for (const [page, link] of links) {
    const { origin, pathname, hash } = new URL(link, `http://here.invalid${page}`);
    if (origin !== "http://here.invalid") continue;
    assert.ok(!pathname.endsWith(".md"), `${page}: ${link}`);
    if (hash !== "" && anchors.has(pathname)) {
      seen++;
      assert.ok(anchors.get(pathname)!.has(hash.slice(1)), `${page}: ${link}`);
    } else if (/^\/docs(?:\/(?:guides|errors|pictures)|$)/.test(pathname)) {
      seen++;
      assert.equal((await app.send({ path: pathname })).status, 200, `${page}: ${link}`);
    }
  }
  assert.ok(seen > 60, `${seen} links`);
});

Deno.test("text in angle brackets is shown as text, and comments for editors are left out", async () => {
  await using app = await openTestApp();
  const { text } = await look(app, "/docs/operations/getAccount");
  assert.ok(text.includes("Bearer <personalAccessToken>"));
  for (const { name } of guides()) {
    const { document, html } = await look(app, `/docs/guides/${name}`);
    assert.ok(!html.includes("<!--"), name);
    assert.equal(document.querySelector("main script, main style, main iframe"), null);
  }
});

Deno.test("no other page, guide or picture is served", async () => {
  await using app = await openTestApp();
  for (
    const path of [
      "operations/nothing",
      "operations/__proto__",
      "guides/CONTRIBUTING",
      "guides/errors",
      "guides/documents.md",
      "guides/constructor",
      "pictures/other.png",
      "pictures/documents.md",
      "assets/reference.css",
    ]
  ) {
    refused(await app.send({ path: `/docs/${path}` }), 404, "ROUTE_NOT_FOUND");
  }
});
