import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { startMaintenance } from "./maintenance.ts";
import { createApp } from "./app.ts";

/** Serves until SIGTERM or SIGINT, then finishes what is in flight. @param greeting Printed first. */
export async function serve(services: Services, greeting: string | null = null): Promise<void> {
  const { config, log } = services;
  const app = createApp(services);
  await using _maintenance = startMaintenance(services);
  const server = Deno.serve({
    hostname: config.host,
    port: config.port,
    onListen: ({ hostname, port }) => {
      log.write("info", "Listening", { hostname, port, publicUrl: config.publicUrl });
      log.flush();
      if (greeting !== null) console.log(greeting);
    },
  }, (request, { remoteAddr }) => app(request, remoteAddr.hostname));

  const stopping = Promise.withResolvers<void>();
  const stop = () => stopping.resolve();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  await Promise.race([stopping.promise, server.finished]);
  for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);

  log.write("info", "Stopping");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, SHUTDOWN_MS));
  await Promise.race([server.shutdown(), late]);
  clearTimeout(timer);
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
