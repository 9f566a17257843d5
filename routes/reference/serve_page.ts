import type { HonoRequest } from "hono";
import type { Reply } from "@/lib/http/respond.ts";
import { keptTexts } from "../system/file.ts";

const GUARDED = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
] as const;

const serveKept = keptTexts("text/html; charset=utf-8");

/**
 * A page under a policy that lets nothing in but what this server has.
 *
 * @param key Names what the page follows from; no text of a request, as pages are kept for good.
 * @param make Makes the page when the first asks for it.
 */
export async function servePage(
  request: HonoRequest,
  key: string,
  make: () => unknown | Promise<unknown>,
): Promise<Reply> {
  const reply = await serveKept(request, key, async () => `<!DOCTYPE html>${await make()}`);
  return { ...reply, headers: [...reply.headers ?? [], ...GUARDED] };
}
