/** What the dashboard's pages cost beside the operations that answer the same. */

import type { Target } from "./load.ts";
import { ask, ratio } from "./measuring.ts";
import { startCorbel } from "./process.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

/** What is measured of pages. */
export const PAGE_ROWS: readonly Row[] = [
  {
    name: "page_vs_list",
    what: "time of the dashboard's page of 25 documents, of 10,000, over the same list as data",
    target: 3,
    atLeast: false,
    measure: pageOverList,
  },
];

const ROWS = 25;
const DOCUMENTS = 10_000;
const BULK = 100;
const CONNECTIONS = 4;

/** As many columns as the grid is to show. */
const FIELDS = [
  ...["title", "summary", "status", "place", "slug"].map((key) => ({ key, type: "String" })),
  ...["views", "rating"].map((key) => ({ key, type: "Number" })),
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "tags", type: "Array", items: { type: "String" } },
];

/** Both by the same session: what differs is what a person sees. */
async function pageOverList({ folder }: Setting): Promise<number> {
  await using corbel = await startCorbel(folder, { RATE_LIMITS: "off" });
  const { cookie, projectId } = await prepared(corbel.url);
  const shown = `.columns=${FIELDS.map(({ key }) => key).join(",")}`;
  const headers = { cookie, "cache-control": "no-cache" };
  const page: Target = {
    url: `${corbel.url}/dashboard/projects/${projectId}/collections/posts?${shown}`,
    headers,
  };
  const list: Target = {
    url: `${corbel.url}/api/projects/${projectId}/collections/posts/documents?limit=${ROWS}`,
    headers,
  };
  await compare(page, list);
  const options = { connections: CONNECTIONS };
  return await ratio(list, page, options);
}

/** Throws where the page does not show what the list answers. */
async function compare(page: Target, list: Target): Promise<void> {
  const { items, total } = JSON.parse((await ask(list)).body).data;
  const { body } = await ask(page);
  const missing = items.filter(({ title }: { title: string }) => !body.includes(`>${title}<`));
  if (items.length !== ROWS || total !== DOCUMENTS || missing.length > 0) {
    throw new Error("The page and the list do not show the same");
  }
}

async function prepared(url: string): Promise<{ cookie: string; projectId: string }> {
  const email = `${crypto.randomUUID()}@example.com`;
  const registered = await post(`${url}/api/auth/register`, {}, {
    email,
    password: "seven wet stones 41",
  });
  const cookie = registered.headers.getSetCookie()[0]!.split(";")[0]!;
  const made = await (await post(`${url}/api/projects`, { cookie }, { name: "Pages" })).json();
  const { projectId, secretKey } = made.data;
  const collections = `${url}/api/projects/${projectId}/collections`;
  await post(collections, { cookie }, { name: "posts", fields: FIELDS, strict: false });
  for (let at = 0; at < DOCUMENTS; at += BULK) {
    const documents = Array.from({ length: BULK }, (_, i) => document(at + i));
    await post(`${url}/api/data/posts/bulk`, { "x-api-key": secretKey }, { documents });
  }
  return { cookie, projectId };
}

const document = (i: number) => ({
  title: `Post number ${i}`,
  summary: `What post ${i} is about, in a sentence as long as such sentences are.`,
  status: i % 3 === 0 ? "draft" : "published",
  place: `Town ${i % 97}`,
  slug: `post-${i}`,
  views: (i * 7919) % 100_003,
  rating: ((i * 31) % 50) / 10,
  live: i % 2 === 0,
  at: new Date(1_767_225_600_000 + i * 60_000).toISOString(),
  tags: ["alpha", `tag${i % 20}`],
});

async function post(
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (response.ok) return new Response(await response.text(), { headers: response.headers });
  throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}
