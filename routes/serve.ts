import type { Config } from "@/lib/config.ts";
import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "./app.ts";
import { startMaintenance } from "./maintenance.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Serves until SIGTERM or SIGINT, then finishes what is in flight. @param greeting Printed first. */
export async function serve(services: Services, greeting: string | null = null): Promise<void> {
  const { config, log, flight } = services;
  const app = createApp(services);
  await using _maintenance = startMaintenance(services);
  const server = listen(config, () =>
    Deno.serve({
      hostname: config.host,
      port: config.port,
      onListen: ({ hostname, port }) => {
        log.write("info", "Listening", { hostname, port, publicUrl: config.publicUrl });
        log.flush();
        if (greeting !== null) console.log(greeting);
      },
    }, (request, { remoteAddr }) => app(request, remoteAddr.hostname)));

  await Promise.race([stopSignal(), server.finished]);
  log.write("info", "Stopping");
  const late = timeout(SHUTDOWN_MS);
  // Deno's shutdown would cut off bodies that are still being read, so they end first.
  await Promise.race([flight.land(), late.promise]);
  await Promise.race([server.shutdown(), late.promise]);
  late.clear();
}

async function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, resolve);
  await promise;
  for (const signal of SIGNALS) Deno.removeSignalListener(signal, resolve);
}

/** Says which address it was that could not be had. */
function listen<T>({ host, port }: Config, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const why = error instanceof Deno.errors.AddrInUse
      ? "the port is in use by another program: stop it, or set PORT"
      : (error as Error).message;
    throw new Error(`Cannot listen on ${host}:${port}: ${why}`, { cause: error });
  }
}

function timeout(ms: number): { promise: Promise<void>; clear(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { promise, clear: () => clearTimeout(timer) };
}
