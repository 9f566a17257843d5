/** Serves the page, and asks Corbel on its behalf: the secret key stays here. */

const CORBEL = Deno.env.get("CORBEL_URL") ?? "http://localhost:8000";
const KEY = Deno.env.get("CORBEL_SECRET_KEY");
const PORT = Number(Deno.env.get("PORT") ?? 5174);
if (!KEY) throw new Error("Set CORBEL_SECRET_KEY to the project's secret key, sk_live_…");

const PAGE = new Map([
  ["/", ["index.html", "text/html; charset=utf-8"]],
  ["/upload.js", ["upload.js", "text/javascript; charset=utf-8"]],
]);

/** Your own server would first find out who asks, and whether they may. */
async function askCorbel(path: string, body: string): Promise<Response> {
  const headers = { "x-api-key": KEY!, "content-type": "application/json" };
  const answer = await fetch(`${CORBEL}/api/storage${path}`, { method: "POST", headers, body });
  return Response.json(await answer.json(), { status: answer.status });
}

Deno.serve({ hostname: "localhost", port: PORT }, async (request) => {
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && /^\/upload-(?:request|confirm)$/.test(pathname)) {
    return await askCorbel(pathname, await request.text());
  }
  const [file, type] = PAGE.get(pathname) ?? [];
  if (!file || !type) return new Response("Not found", { status: 404 });
  const text = await Deno.readTextFile(new URL(file, import.meta.url));
  return new Response(text, { headers: { "content-type": type, "cache-control": "no-cache" } });
});
