/**
 * Serves an example like a host of static files. Paths without a file get the page itself, which
 * hosts call the fallback of a single-page application.
 *
 *     deno run --allow-net=localhost --allow-read=examples examples/serve.ts live
 */

const EXAMPLES = ["live", "signin", "upload"] as const;
const FILE = /^\/(common\/)?([a-z]+\.(css|js))$/;
const TYPES = { html: "text/html", css: "text/css", js: "text/javascript" } as const;

export const serveExample =
  (example: typeof EXAMPLES[number]) => async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const [, common, file = "index.html", kind = "html"] = FILE.exec(pathname) ?? [];
    const path = new URL(`${common ?? `${example}/`}${file}`, import.meta.url);
    const text = await Deno.readTextFile(path).catch(() => null);
    if (text === null) return new Response("Not found", { status: 404 });
    const type = `${TYPES[kind as keyof typeof TYPES]}; charset=utf-8`;
    return new Response(text, { headers: { "content-type": type, "cache-control": "no-cache" } });
  };

if (import.meta.main) {
  const example = EXAMPLES.find((name) => name === Deno.args[0]);
  if (example === undefined) throw new Error(`Name an example: ${EXAMPLES.join(", ")}`);
  Deno.serve({ hostname: "localhost", port: 5173 }, serveExample(example));
}
