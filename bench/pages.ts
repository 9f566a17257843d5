/** What the dashboard's pages cost beside the operations that answer the same. */

import assert from "node:assert/strict";
import { createAccount } from "@/lib/accounts/register_account.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { ask, askData, posting, ratio } from "./measuring.ts";
import { startCorbel } from "./process.ts";
import type { Row } from "./report.ts";
import { fill, openProject, openStore, type Setting } from "./seed.ts";

export const PAGE_ROWS: readonly Row[] = [
  {
    name: "page_vs_list",
    what: "time of the dashboard's page of 25 documents, of 10,000, over the same list as data",
    atMost: 3,
    measure: pageOverList,
  },
];

const ROWS = 25;
const DOCUMENTS = 10_000;
const CONNECTIONS = 4;
const PASSWORD = "dry stones in the yard 51";

/** As many columns as the grid is to show. */
const FIELDS = [
  ...["title", "summary", "status", "place", "slug"].map((key) => ({ key, type: "String" })),
  ...["views", "rating"].map((key) => ({ key, type: "Number" })),
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "tags", type: "Array", items: { type: "String" } },
];

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

/** Both by the same session: what differs is what a person sees. */
async function pageOverList({ settings }: Setting): Promise<number> {
  await using services = await openStore(settings);
  await using corbel = await startCorbel({ ...settings, RATE_LIMITS: "off" });
  const { accountId, cookie } = await signedInOwner(services, corbel.url, "pro");
  const definition = { name: "posts", fields: FIELDS, strict: false };
  const { projectId } = await openProject(services, [definition], accountId);
  await fill(services, { projectId, name: "posts" }, { count: DOCUMENTS, next: document });
  const shown = `.columns=${FIELDS.map(({ key }) => key).join(",")}`;
  const headers = { cookie, "cache-control": "no-cache" };
  const page = {
    url: `${corbel.url}/dashboard/projects/${projectId}/collections/posts?${shown}`,
    headers,
    connections: CONNECTIONS,
  };
  const list = {
    url: `${corbel.url}/api/projects/${projectId}/collections/posts/documents?limit=${ROWS}`,
    headers,
    connections: CONNECTIONS,
  };
  const [{ items, total }, html] = [await askData(list), await ask(page)];
  assert.deepEqual([items.length, total], [ROWS, DOCUMENTS]);
  for (const { title } of items) assert.ok(html.includes(`>${title}<`), "The page shows the list");
  return await ratio(list, page);
}

/** A new account with a session. */
export async function signedInOwner(
  services: Services,
  url: string,
  plan: "free" | "pro",
): Promise<{ readonly accountId: Id; readonly cookie: string }> {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = { email, name: null, password: PASSWORD, plan };
  const { _id: accountId } = await createAccount(services, account);
  const { url: login, ...init } = posting(`${url}/api/auth/login`, {}, {
    email,
    password: PASSWORD,
  });
  const response = await fetch(login, init);
  assert.equal(response.status, 200, await response.text());
  return { accountId, cookie: response.headers.getSetCookie()[0]!.split(";")[0]! };
}
