import { ConfigError, environmentOf, loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { createPrinter } from "@/lib/runtime/printer.ts";
import { SERVED_PARSED_BYTES_MAX } from "@/lib/long_work.ts";
import { openServices } from "@/lib/services.ts";
import { runAdmin } from "@/routes/admin/mod.ts";
import { prepareDemo, refuseDemo } from "@/routes/demo.ts";
import { serve } from "@/routes/serve.ts";

/** Resolves to the exit code. */
async function run([command = "start", ...args]: readonly string[]): Promise<number> {
  const environment = environmentOf(command, (name) => Deno.env.get(name));
  const config = loadConfig(environment);
  const print = createPrinter(command === "admin" ? Deno.stderr : Deno.stdout);
  using log = createLog(config.logLevel, print);
  const parsedBytesMax = command === "admin" ? Infinity : SERVED_PARSED_BYTES_MAX;
  await using services = await openServices(config, { log, parsedBytesMax });
  // Commands work beside a store of files that is down.
  if (command === "admin") return await runAdmin(services, args);
  await services.blobStores.internal.ping();
  switch (command) {
    case "dev":
      await serve(services, { environment, print, greeting: await prepareDemo(services) });
      return 0;
    case "start":
      await refuseDemo(services);
      await serve(services, { environment, print });
      return 0;
    default:
      throw new ConfigError([`The command must be start, dev or admin, got "${command}"`]);
  }
}

const code = await run(Deno.args).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
// A request that never ends must not keep the process: its time was up.
Deno.exit(code);
