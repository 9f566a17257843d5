import type { JSX } from "hono/jsx/jsx-runtime";
import { NO_STORE, type Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";

export interface PageOptions {
  readonly status?: number;
  /** Origin of the project's file storage if it is external, for the content security policy. */
  readonly filesOrigin?: string | null;
}

/** Replies with a complete page, which must not be cached. */
export function pageReply(
  page: JSX.Element,
  { status = 200, filesOrigin = null }: PageOptions = {},
): Reply {
  return htmlReply(status, `<!DOCTYPE html>${page}`, filesOrigin);
}

export const partReply = (part: JSX.Element): Reply => htmlReply(200, String(part), null);

const htmlReply = (status: number, body: string, filesOrigin: string | null): Reply => ({
  status,
  body,
  type: "text/html; charset=utf-8",
  headers: securityHeaders(filesOrigin),
});

/** Replies with untrusted HTML for a frame without scripts, forms, requests and origin. */
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

/** Replies with a page without scripts, forms and links, whose policy permits only its styles. */
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

const securityHeaders = (filesOrigin: string | null): NonNullable<Reply["headers"]> => [
  NO_STORE,
  ["content-security-policy", contentSecurityPolicy(filesOrigin)],
  ["referrer-policy", "same-origin"],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
];

function contentSecurityPolicy(filesOrigin: string | null): string {
  const files = filesOrigin === null ? "" : ` ${filesOrigin}`;
  return "default-src 'self'; " +
    `img-src 'self' data:${files}; connect-src 'self'${files}; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
}

/** Redirects the browser to a page of the dashboard by GET. */
export const seeOther = (path: string, headers: Reply["headers"] = []): Reply => ({
  status: 303,
  body: null,
  headers: [["location", path], ...securityHeaders(null), ...headers],
});

/** Lets htmx open a page instead of inserting the reply. */
export const redirectScript = (path: string): Reply => ({
  status: 204,
  body: null,
  headers: [["hx-redirect", path], ...securityHeaders(null)],
});

/** Resolves to the value, or to a thrown problem for the form. Rethrows other errors. */
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
