/**
 * Serves the page as any host of static files would: `/auth/callback` and `/auth/verify` are the
 * page too, which hosts call the fallback of a single-page application.
 *
 *     deno run --allow-net=localhost --allow-read=examples examples/signin/serve.ts
 */

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/auth/callback": ["index.html", "text/html; charset=utf-8"],
  "/auth/verify": ["index.html", "text/html; charset=utf-8"],
  "/signin.js": ["signin.js", "text/javascript; charset=utf-8"],
};

export async function serveExample(request: Request): Promise<Response> {
  const found = FILES[new URL(request.url).pathname];
  if (found === undefined) return new Response("Not found", { status: 404 });
  const [file, type] = found;
  return new Response(await Deno.readTextFile(new URL(file, import.meta.url)), {
    headers: { "content-type": type, "cache-control": "no-cache" },
  });
}

if (import.meta.main) Deno.serve({ hostname: "localhost", port: 5173 }, serveExample);
