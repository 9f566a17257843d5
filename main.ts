import { importLate } from "@/lib/import_late.ts";
import { commandEnvironment, loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createPrinter } from "@/lib/runtime/printer.ts";
import { openServices } from "@/lib/services.ts";
import { readWords } from "@/routes/words.ts";

type Admin = typeof import("@/routes/admin/mod.ts");
type Serve = typeof import("@/routes/serve.ts");

/** Runs the command that the arguments name and resolves to the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const admin = words[0] === "admin"
    ? await importLate<Admin>(import.meta.resolve("./routes/admin/mod.ts"))
    : null;
  const task = admin?.readCommand(words.slice(1), Deno.env.get("INIT_CWD")) ?? readWords(words);
  if (typeof task === "number") return task;
  const isServed = typeof task === "string";
  const environment = commandEnvironment(isServed ? task : "admin", (name) => Deno.env.get(name));
  const config = loadConfig(environment);
  const print = createPrinter(isServed ? Deno.stdout : Deno.stderr);
  using log = createLog(config.logLevel, print);
  const refusesUnused = !isServed && !task.canInitialize;
  await using services = await openServices(config, { log, refusesUnused });
  if (!isServed) return await admin!.runCommand(services, task); // Does not need the file storage.
  await services.blobStores.internal.ping();
  const { serve } = await importLate<Serve>(import.meta.resolve("./routes/serve.ts"));
  await serve(services, { task: task, environment, print });
  return 0;
}

const code = await run(Deno.args).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
// Requests that outlast the shutdown limit must not keep the process alive.
Deno.exit(code);
