import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createProject, type DashboardBrowser, register } from "../support/dashboard_browser.ts";

const POSTS = {
  name: "posts",
  rls: { mode: "public-read" },
  strict: false,
  fields: [
    { key: "title", type: "String", required: true },
    { key: "status", type: "String", index: true },
    { key: "views", type: "Number", index: true },
    { key: "at", type: "Date" },
    { key: "live", type: "Boolean" },
    { key: "tags", type: "Array", items: { type: "String" } },
  ],
};

export interface OpenedPosts {
  readonly path: string;
  /** Lists documents through the API with the secret key. */
  // deno-lint-ignore no-explicit-any -- Tests look into documents of every shape.
  documents(query: string): Promise<any[]>;
  write(id: string, members: object): Promise<void>;
}

export async function openPosts(
  dashboard: DashboardBrowser,
  page: Page,
  rows: number,
): Promise<OpenedPosts> {
  await register(dashboard, page);
  const { home, secretKey } = await createProject(page);
  const { origin } = dashboard;
  const created = await page.request.post(
    `${origin}/api${new URL(home).pathname.slice(10)}/collections`,
    {
      data: POSTS,
    },
  );
  assert.equal(created.status(), 201, await created.text());
  for (let at = 0; at < rows; at += 100) {
    const documents = Array.from({ length: Math.min(100, rows - at) }, (_, i) => ({
      title: `Post ${at + i}`,
      status: i % 3 === 0 ? "draft" : "published",
      views: at + i,
      tags: ["a", "b"],
    }));
    const answer = await page.request.post(`${origin}/api/data/posts/bulk`, {
      data: { documents },
      headers: { "x-api-key": secretKey },
    });
    assert.equal(answer.status(), 201, await answer.text());
  }
  const path = `${home}/collections/posts`;
  await page.goto(path);
  const headers = { "x-api-key": secretKey };
  return {
    path,
    async documents(query) {
      const answer = await page.request.get(`${origin}/api/data/posts?${query}`, { headers });
      return (await answer.json()).data.items;
    },
    async write(id, members) {
      const url = `${origin}/api/data/posts/${id}`;
      const answer = await page.request.patch(url, { data: members, headers });
      assert.equal(answer.status(), 200, await answer.text());
    },
  };
}
