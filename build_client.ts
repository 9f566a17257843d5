/**
 * Writes the modules of `client/` that are served: `client.js`, which is published too, and `cli.js`,
 * the command line; `--check` only compares.
 */
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";
import { commandTable, type OperationsDocument } from "./client/commands/table.ts";
import document from "./openapi/openapi.json" with { type: "json" };

interface Module {
  readonly source: string;
  readonly built: string;
  readonly banner: string;
  /** Texts that stand for names in the source. */
  readonly define?: Readonly<Record<string, string>>;
}

const MODULES: readonly Module[] = [
  {
    source: "client/src/mod.ts",
    built: "client/client.js",
    banner: "// The client of Corbel. Its types are in client.d.ts beside it. MIT licence.",
  },
  {
    source: "client/cli.ts",
    built: "client/cli.js",
    banner: "// The command line of Corbel, for Deno. MIT licence.",
    define: {
      // Its own type is that of its text.
      OPERATIONS: JSON.stringify(commandTable(document as unknown as OperationsDocument)),
    },
  },
];

/** The text of a module. */
async function textOf({ source, banner, define = {} }: Module): Promise<string> {
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
    const text = await textOf(module);
    const file = new URL(module.built, import.meta.url);
    if (!Deno.args.includes("--check")) await Deno.writeTextFile(file, text);
    else if (await Deno.readTextFile(file).catch(() => "") !== text) {
      console.error(`${module.built} is out of step with the code: run deno task client`);
      Deno.exitCode = 1;
    }
  }
  await stop();
}
