import { environmentOf, loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createPrinter } from "@/lib/runtime/printer.ts";
import { SERVED_PARSED_BYTES_MAX } from "@/lib/long_work.ts";
import { openServices } from "@/lib/services.ts";
import { readCommand, runCommand } from "@/routes/admin/mod.ts";
import { readWords } from "@/routes/words.ts";

/** Resolves to the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const asked = words[0] === "admin"
    ? readCommand(words.slice(1), Deno.env.get("INIT_CWD"))
    : readWords(words);
  if (typeof asked === "number") return asked;
  const isServed = typeof asked === "string";
  const environment = environmentOf(isServed ? asked : "admin", (name) => Deno.env.get(name));
  const config = loadConfig(environment);
  const print = createPrinter(isServed ? Deno.stdout : Deno.stderr);
  using log = createLog(config.logLevel, print);
  await using services = await openServices(config, {
    log,
    parsedBytesMax: isServed ? SERVED_PARSED_BYTES_MAX : Infinity,
    refusesUnused: !isServed && !asked.mayBeFirst,
  });
  if (!isServed) return await runCommand(services, asked); // Also where the store of files is down.
  await services.blobStores.internal.ping();
  const { serve } = await import("@/routes/serve.ts"); // Half of all modules, which no command needs.
  await serve(services, { task: asked, environment, print });
  return 0;
}

const code = await run(Deno.args).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
// A request that never ends must not keep the process: its time was up.
Deno.exit(code);
