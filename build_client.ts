/** Writes `client/client.js`, the one module that is served and published; `--check` only compares. */
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("client/src/mod.ts", import.meta.url));
const BUILT = new URL("client/client.js", import.meta.url);

const BANNER = "// The client of Corbel. Its types are in client.d.ts beside it. MIT licence.";

/** The text of the module. */
async function builtClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    banner: { js: BANNER },
    write: false,
    logLevel: "silent",
  });
  await stop();
  return outputFiles[0]!.text;
}

if (import.meta.main) {
  const text = await builtClient();
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(BUILT, text);
  else if (await Deno.readTextFile(BUILT).catch(() => "") !== text) {
    console.error("client/client.js is out of step with the code: run deno task client");
    Deno.exitCode = 1;
  }
}
