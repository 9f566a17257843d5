import { jsonText } from "@/lib/store/json_text.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import {
  createOwnedProject,
  joinProject,
  openAccount,
  type TestAccount,
} from "../support/dashboard.ts";
import { type Dashboard, openDashboard, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createCollection } from "@/tests/support/given.ts";

export const FIELDS = [
  { key: "title", type: "String", required: true },
  { key: "status", type: "String" },
  { key: "views", type: "Number" },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "author", type: "Ref", ref: "users" },
  { key: "slug", type: "String", unique: true },
];

/** A document in a response of the API. */
// deno-lint-ignore no-explicit-any -- Tests look into documents of every shape.
export type Document = any;

/** A project with a collection `posts`, and its owner at the dashboard. */
export interface Posts extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: TestAccount;
  readonly projectId: Id;
  readonly path: string;
  readonly dashboard: Dashboard;
  define(definition: object): Promise<void>;
  add(...documents: object[]): Promise<Id[]>;
  /** Lists documents by the API with the secret key. */
  list(query?: string): Promise<Document[]>;
  get(id: Id): Promise<Document>;
  /** Opens the same dashboard for another account: a member with the role, or a stranger. */
  other(role: "viewer" | "admin" | null): Promise<Dashboard>;
}

export async function openPosts(definition: object = {}): Promise<Posts> {
  await using opening = new AsyncDisposableStack();
  const app = opening.use(await openTestApp());
  const owner = await openAccount(app);
  const { projectId, secretKey } = await createOwnedProject(owner);
  const headers = { "x-api-key": secretKey };
  const define = async (definition: object) => {
    await createCollection(app.services, projectId, definition);
  };
  await define({ name: "posts", fields: FIELDS, ...definition });
  const opened = opening.move();
  return {
    app,
    owner,
    projectId,
    path: `/dashboard/projects/${projectId}/collections/posts`,
    dashboard: openDashboard(app, owner),
    define,
    async add(...documents) {
      const ids: Id[] = [];
      for (let at = 0; at < documents.length; at += 100) {
        const body = jsonText({ documents: documents.slice(at, at + 100) } as unknown as Json);
        const answer = await app.send({ path: "/api/data/posts/bulk", headers, body });
        if (answer.status !== 201) throw new Error(answer.text);
        ids.push(...answer.body.data.ids);
      }
      return ids;
    },
    async list(query = "") {
      const answer = await app.send({ path: `/api/data/posts?${query}`, headers });
      return answer.body.data.items;
    },
    async get(id) {
      return (await app.send({ path: `/api/data/posts/${id}`, headers })).body.data;
    },
    async other(role) {
      const account = await openAccount(app);
      if (role !== null) await joinProject(app.services, projectId, account.accountId, role);
      return openDashboard(app, account);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns documents that differ in all fields for filters and sorts. */
export const manyDocuments = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    title: `Post ${String(i).padStart(3, "0")}`,
    status: i % 3 === 0 ? "draft" : "published",
    views: i * 100,
  }));

export const texts = (page: PageAnswer, selector: string): string[] =>
  [...page.document.querySelectorAll(selector)]
    .map(({ textContent }) => textContent.replaceAll(/\s+/g, " ").trim());

export const column = (page: PageAnswer, place: number): string[] =>
  texts(page, `tbody tr td:nth-child(${place})`);

/** Returns the target of the link with this text or label. */
export function linkOf(page: PageAnswer, words: string): string {
  const links = [...page.document.querySelectorAll("a")].filter((link) =>
    (link.getAttribute("aria-label") ?? link.textContent.replaceAll(/\s+/g, " ").trim()) === words
  );
  if (links.length !== 1) throw new Error(`${links.length} links "${words}": ${page.words}`);
  return links[0]!.getAttribute("href")!;
}
