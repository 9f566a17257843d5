import type { Environment } from "@/lib/config.ts";
import type { Services } from "@/lib/services.ts";
import { startMaintenance } from "./maintenance.ts";
import { startServer } from "./server.ts";
import { startWorkers } from "./workers.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

export interface ServeOptions {
  /** What the configuration was read from, for threads to read theirs. */
  readonly environment: Environment;
  /** Prints whole lines. */
  readonly print: (text: string) => void;
  /** Printed first. */
  readonly greeting?: string;
}

/**
 * Serves until SIGTERM or SIGINT, then finishes what is in flight. Rejects where it cannot listen,
 * and where one of several threads fails: what the others have in flight is finished then too.
 */
export async function serve(services: Services, options: ServeOptions): Promise<void> {
  const { config: { workers, publicUrl }, log } = services;
  const { environment, print, greeting } = options;
  using signal = stopSignal();
  await using _maintenance = startMaintenance(services);
  const server = workers === 1
    ? startServer(services, { shared: false })
    : await startWorkers(services.config, { environment, print });
  const { hostname, port } = server;
  log.write("info", "Listening", { hostname, port, publicUrl, ...(workers > 1 && { workers }) });
  log.flush();
  if (greeting !== undefined) print(greeting);
  try {
    await Promise.race([signal.given, server.finished]);
  } catch (error) {
    log.write("error", (error as Error).message);
    throw error;
  } finally {
    log.write("info", "Stopping");
    await server.stop();
  }
}

interface StopSignal extends Disposable {
  readonly given: Promise<void>;
}

function stopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, resolve);
  return {
    given: promise,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, resolve);
    },
  };
}
