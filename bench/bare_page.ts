/** Answers and server of the bare programs of both databases. */
import type { Post, StoredPost } from "./documents.ts";

type Row = readonly (string | number | null)[];

interface Page {
  readonly limit: number;
  readonly page?: number;
  readonly total?: number;
}

/**
 * Returns a page with the members of Corbel's answer. Its cursors are unsigned positions.
 *
 * @param rows Text, time of creation and id of each document. One row more than the limit shows
 *   that there is a next page.
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

/** Returns an answer with one document. @param text The document's JSON text. */
export const documentText = (text: string, how: string): string =>
  `{"success":true,"data":${text},"message":"Document ${how}"}`;

export function newDocument(body: string): StoredPost {
  const post = JSON.parse(body) as Post;
  if (typeof post !== "object" || post === null) throw new TypeError("No document");
  const now = new Date().toISOString();
  const _id = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
  return { _id, ...post, createdAt: now, updatedAt: now, isDeleted: false, deletedAt: null };
}

type Answer = string | Promise<string>;

export interface BareAnswers {
  insert(body: string): Answer;
  patch(id: string, body: string): Answer;
  answer(name: string, values: Readonly<Record<string, string>>): Answer;
}

/** Serves at `PORT`, with a cache of the users of tokens. */
export function serveAnswers({ insert, patch, answer }: BareAnswers): void {
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
