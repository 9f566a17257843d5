import type { HonoRequest } from "hono";
import type { Reply } from "@/lib/http/respond.ts";
import { createTextServer } from "../system/file.ts";

const SECURITY_HEADERS = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
] as const;

const serveText = createTextServer("text/html; charset=utf-8");

/** Serves a page. @param key Must not be client input, because pages are never evicted. */
export async function servePage(
  request: HonoRequest,
  key: string,
  make: () => unknown | Promise<unknown>,
): Promise<Reply> {
  const reply = await serveText(request, key, async () => `<!DOCTYPE html>${await make()}`);
  return { ...reply, headers: [...reply.headers ?? [], ...SECURITY_HEADERS] };
}
