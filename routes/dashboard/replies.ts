import type { JSX } from "hono/jsx/jsx-runtime";
import { NO_STORE, type Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";

export interface PageOptions {
  readonly status?: number;
  /** Where the project's files are, if elsewhere: its pages show them and send them there. */
  readonly filesOrigin?: string | null;
}

/** A whole page. It is kept by nobody: the next look shows what holds then. */
export function pageReply(
  page: JSX.Element,
  { status = 200, filesOrigin = null }: PageOptions = {},
): Reply {
  return html(status, `<!DOCTYPE html>${page}`, filesOrigin);
}

/** A part of a page, in the place of which it is put. */
export const partReply = (part: JSX.Element): Reply => html(200, String(part), null);

const html = (status: number, body: string, filesOrigin: string | null): Reply => ({
  status,
  body,
  type: "text/html; charset=utf-8",
  headers: guarded(filesOrigin),
});

/**
 * HTML that is not ours, or shows such, for a frame in a page of ours. Nothing in it runs, is sent or
 * is fetched, and to it every page is another site's.
 */
export const framedReply = (body: string, status = 200): Reply => ({
  status,
  body,
  type: "text/html; charset=utf-8",
  headers: [
    NO_STORE,
    [
      "content-security-policy",
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'self'",
    ],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "SAMEORIGIN"],
  ],
});

/** A page without scripts, forms and links, under a policy that lets it load its styles alone. */
export const barePageReply = (page: JSX.Element, status: number): Reply => ({
  status,
  body: `<!DOCTYPE html>${page}`,
  type: "text/html; charset=utf-8",
  headers: [
    NO_STORE,
    [
      "content-security-policy",
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'none'",
    ],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "DENY"],
  ],
});

/** What every answer to a person carries, one that only leads elsewhere too. */
const guarded = (filesOrigin: string | null): NonNullable<Reply["headers"]> => [
  NO_STORE,
  ["content-security-policy", policy(filesOrigin)],
  ["referrer-policy", "same-origin"],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
];

function policy(filesOrigin: string | null): string {
  const files = filesOrigin === null ? "" : ` ${filesOrigin}`;
  return "default-src 'self'; " +
    `img-src 'self' data:${files}; connect-src 'self'${files}; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
}

/** Sends the browser to a page of ours, which it then asks for anew. */
export const seeOther = (path: string, headers: Reply["headers"] = []): Reply => ({
  status: 303,
  body: null,
  headers: [["location", path], ...guarded(null), ...headers],
});

/** Sends a script's browser there, as a page of its own: the answer takes the place of nothing. */
export const leaveFor = (path: string): Reply => ({
  status: 204,
  body: null,
  headers: [["hx-redirect", path], ...guarded(null)],
});

/**
 * What a form's verb resolves to, or why it refused, to be said beside the form. What is no refusal
 * goes on as it was thrown.
 */
export async function attempt<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly problem: null } | { readonly problem: Problem }> {
  try {
    return { value: await work(), problem: null };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
