/**
 * Builds the modules of `client/` that the server serves: `client.js`, which is also published, and
 * `cli.js`, the command line. `--check` compares them with the files instead of writing them.
 */
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";
import { commandTable, type OperationsDocument } from "./client/commands/table.ts";
import document from "./openapi/openapi.json" with { type: "json" };

interface ClientModule {
  readonly source: string;
  readonly built: string;
  readonly banner: string;
  /** JavaScript expressions that replace names in the source. */
  readonly define?: Readonly<Record<string, string>>;
}

const MODULES: readonly ClientModule[] = [
  {
    source: "client/src/mod.ts",
    built: "client/client.js",
    banner: "// The client of Corbel. Its types are in client.d.ts next to it. MIT licence.",
  },
  {
    source: "client/cli.ts",
    built: "client/cli.js",
    banner: "// The command line of Corbel, for Deno. MIT licence.",
    define: {
      // TypeScript infers another type for imported JSON.
      OPERATIONS: JSON.stringify(commandTable(document as unknown as OperationsDocument)),
    },
  },
];

/** Returns the minified text of a module with everything that it imports. */
async function bundle({ source, banner, define = {} }: ClientModule): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    banner: { js: banner },
    define,
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

if (import.meta.main) {
  for (const module of MODULES) {
    const text = await bundle(module);
    const file = new URL(module.built, import.meta.url);
    if (!Deno.args.includes("--check")) await Deno.writeTextFile(file, text);
    else if (await Deno.readTextFile(file).catch(() => "") !== text) {
      console.error(`${module.built} is out of step with the code: run deno task client`);
      Deno.exitCode = 1;
    }
  }
  await stop();
}
