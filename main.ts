import { ConfigError, type Environment, loadConfig, SETTINGS } from "@/lib/config.ts";
import { createLog } from "@/lib/http/log.ts";
import { openServices } from "@/lib/services.ts";
import { runAdmin } from "@/routes/admin/mod.ts";
import { prepareDemo } from "@/routes/demo.ts";
import { serve } from "@/routes/serve.ts";

const [command = "start", ...args] = Deno.args;

try {
  const config = loadConfig(environment());
  using log = createLog(
    config.logLevel,
    (text) => console[command === "admin" ? "error" : "log"](text.trimEnd()),
  );
  await using services = await openServices(config, { log });
  switch (command) {
    case "admin":
      Deno.exitCode = await runAdmin(services, args);
      break;
    case "dev":
      await serve(services, await prepareDemo(services));
      break;
    case "start":
      await serve(services);
      break;
    default:
      throw new ConfigError([`The command must be start, dev or admin, got "${command}"`]);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}

function environment(): Environment {
  return Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, Deno.env.get(name)]));
}
