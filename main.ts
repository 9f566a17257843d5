import { importLate } from "@/lib/import_late.ts";
import { environmentOf, loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createPrinter } from "@/lib/runtime/printer.ts";
import { openServices } from "@/lib/services.ts";
import { readWords } from "@/routes/words.ts";

type Admin = typeof import("@/routes/admin/mod.ts");
type Serve = typeof import("@/routes/serve.ts");

/** Resolves to the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const admin = words[0] === "admin"
    ? await importLate<Admin>(import.meta.resolve("./routes/admin/mod.ts"))
    : null;
  const asked = admin?.readCommand(words.slice(1), Deno.env.get("INIT_CWD")) ?? readWords(words);
  if (typeof asked === "number") return asked;
  const isServed = typeof asked === "string";
  const environment = environmentOf(isServed ? asked : "admin", (name) => Deno.env.get(name));
  const config = loadConfig(environment);
  const print = createPrinter(isServed ? Deno.stdout : Deno.stderr);
  using log = createLog(config.logLevel, print);
  const refusesUnused = !isServed && !asked.mayBeFirst;
  await using services = await openServices(config, { log, refusesUnused });
  if (!isServed) return await admin!.runCommand(services, asked); // Also where no file can be stored.
  await services.blobStores.internal.ping();
  const { serve } = await importLate<Serve>(import.meta.resolve("./routes/serve.ts"));
  await serve(services, { task: asked, environment, print });
  return 0;
}

const code = await run(Deno.args).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
// A request that never ends must not keep the process: its time was up.
Deno.exit(code);
