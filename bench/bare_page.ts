/** What the bare programs of both databases answer alike, and how they serve it. */
import type { Post, StoredPost } from "./documents.ts";

type Row = readonly (string | number | null)[];

interface Page {
  readonly limit: number;
  readonly page?: number;
  readonly total?: number;
}

/**
 * The same members as Corbel's answer; cursors are unsigned here, and as good as its place.
 *
 * @param rows One more than the page tells whether there are others behind it: a document's text,
 *   its time of creation and its id.
 */
export function pageText(rows: readonly Row[], { limit, page, total }: Page): string {
  const items = rows.length > limit ? rows.slice(0, limit) : rows;
  const cursorOf = (row: Row | undefined) =>
    row === undefined ? "null" : `"${btoa(`${row[1]} ${row[2]}`)}"`;
  return `{"success":true,"data":{"items":[${items.map(([doc]) => doc).join(",")}],` +
    (total === undefined ? "" : `"total":${total},`) +
    (page === undefined ? "" : `"page":${page},`) + `"limit":${limit},` +
    `"nextCursor":${rows.length > limit ? cursorOf(items.at(-1)) : "null"},` +
    `"prevCursor":${page === 1 ? "null" : cursorOf(items[0])}},"message":"Documents listed"}`;
}

/** @param text A document's. */
export const found = (text: string, how: string): string =>
  `{"success":true,"data":${text},"message":"Document ${how}"}`;

export function newDocument(body: string): StoredPost {
  const post = JSON.parse(body) as Post;
  if (typeof post !== "object" || post === null) throw new TypeError("No document");
  const now = new Date().toISOString();
  const _id = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
  return { _id, ...post, createdAt: now, updatedAt: now, isDeleted: false, deletedAt: null };
}

type Answer = string | Promise<string>;

export interface Answers {
  insert(body: string): Answer;
  patch(id: string, body: string): Answer;
  answer(name: string, values: Readonly<Record<string, string>>): Answer;
}

/** Serves at `PORT`. Who is signed in is known by their tokens. */
export function served({ insert, patch, answer }: Answers): void {
  const users = new Map<string, string>();
  const serve = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const name = pathname.slice(1);
    if (name === "") return new Response(null);
    const values = Object.fromEntries(searchParams);
    if (request.method === "POST") {
      return new Response(await insert(await request.text()), { ...JSON_TYPE, status: 201 });
    }
    if (request.method === "PATCH") {
      return new Response(await patch(values.id!, await request.text()), JSON_TYPE);
    }
    if (name === "owner_private") {
      const token = request.headers.get("authorization")!;
      if (!users.has(token)) users.set(token, values.userId!);
      values.userId = users.get(token)!;
    }
    const text = answer(name, values);
    return new Response(typeof text === "string" ? text : await text, JSON_TYPE);
  };
  const port = Number(Deno.env.get("PORT"));
  Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, serve);
}

const JSON_TYPE = { headers: { "content-type": "application/json" } };
