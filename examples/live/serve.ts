/**
 * Serves the page as any host of static files would.
 *
 *     deno run --allow-net=localhost --allow-read=examples examples/live/serve.ts
 */

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/live.js": ["live.js", "text/javascript; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
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
