import { countDescriptors, type Descriptors } from "@/lib/runtime/descriptors.ts";
import { awaitsFirstAccount } from "@/lib/accounts/registration.ts";
import { bringOver } from "@/lib/operations/bring_over.ts";
import type { Log } from "@/lib/runtime/log.ts";
import { CONNECTIONS_MAX } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { settleDemo } from "./demo.ts";
import { assertPortIsFree } from "./listening.ts";
import { startMaintenance } from "./maintenance.ts";
import { startServer } from "./server.ts";
import { startWorkers, type WorkersOptions } from "./workers.ts";

/** How many projects a line of the log names. */
const NAMED_MAX = 10;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

export interface ServeOptions extends Omit<WorkersOptions, "connections"> {
  /** Whether the demo is to be there, or its account closed. */
  readonly task: "dev" | "start";
}

/**
 * Serves until SIGTERM or SIGINT, then finishes what is in flight. Rejects where it cannot listen,
 * and where one of several threads fails: what the others have in flight is finished then too.
 */
export async function serve(services: Services, options: ServeOptions): Promise<void> {
  const { config: { workers, publicUrl }, log } = services;
  const { task, print } = options;
  // Whoever serves there goes on, also with the demo account as it is.
  assertPortIsFree(services.config);
  const descriptors = countDescriptors();
  const greeting = await settleDemo(services, task);
  using signal = stopSignal();
  await bringOver(services);
  await startMaintenance(services);
  const server = workers === 1
    ? startServer(services, { shared: false, connectionsMax: descriptors.connections })
    : await startWorkers(services, { ...options, connections: descriptors.connections });
  const { hostname, port } = server;
  sayHowManyConnections(log, descriptors);
  log.write("info", "Listening", { hostname, port, publicUrl, ...(workers > 1 && { workers }) });
  if (await awaitsFirstAccount(services)) {
    const register = `${publicUrl}/dashboard/register`;
    log.write("info", "There is no account yet: whoever registers first makes it", { register });
  }
  const lost = services.engine.lost();
  if (lost.length > 0) {
    log.write("error", "Files of projects are missing or empty: restore them from a backup", {
      projects: lost.length,
      first: lost.slice(0, NAMED_MAX).join(" "),
    });
  }
  log.flush();
  if (greeting !== null) print(greeting);
  try {
    await Promise.race([signal.given, server.finished]);
  } catch (error) {
    log.write("error", (error as Error).message);
    throw error;
  } finally {
    log.write("info", "Stopping");
    await Promise.all([server.stop(), services.jobRunner.stop()]);
  }
}

function sayHowManyConnections(log: Log, { limit, connections }: Descriptors): void {
  if (limit === null) {
    log.write("info", "There are file descriptors for all connections", { connections });
  } else {
    log.write(
      "warn",
      "File descriptors limit the connections: allow more of them, such as by `ulimit -n`, " +
        "if clients keep more open",
      { descriptors: limit, connections, connectionsWithMore: CONNECTIONS_MAX },
    );
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
