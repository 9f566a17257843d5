import { countDescriptors, type Descriptors } from "@/lib/runtime/descriptors.ts";
import { isAwaitingFirstAccount } from "@/lib/accounts/registration.ts";
import { upgradeDocuments } from "@/lib/operations/upgrade_documents.ts";
import type { Log } from "@/lib/runtime/log.ts";
import { CONNECTIONS_MAX } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { applyDemoTask } from "./demo.ts";
import { assertPortIsFree } from "./listening.ts";
import { startMaintenance } from "./maintenance.ts";
import { startServer } from "./server.ts";
import { startWorkers, type WorkersOptions } from "./workers.ts";

/** Maximum number of projects that a log line names. */
const NAMED_MAX = 10;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

export interface ServeOptions extends Omit<WorkersOptions, "connections"> {
  /** `dev` prepares the demo project; `start` closes its account. */
  readonly task: "dev" | "start";
}

/** Serves until SIGTERM or SIGINT, then finishes requests in flight. Rejects if a thread fails. */
export async function serve(services: Services, options: ServeOptions): Promise<void> {
  const { config: { workers, publicUrl }, log } = services;
  const { task, print } = options;
  // If another process serves on the port, the demo account must not be changed.
  assertPortIsFree(services.config);
  const descriptors = countDescriptors();
  const greeting = await applyDemoTask(services, task);
  using signal = listenForStop();
  await upgradeDocuments(services);
  await startMaintenance(services);
  const server = workers === 1
    ? startServer(services, { shared: false, connectionsMax: descriptors.connections })
    : await startWorkers(services, { ...options, connections: descriptors.connections });
  const { hostname, port } = server;
  logConnectionLimit(log, descriptors);
  log.write("info", "Listening", { hostname, port, publicUrl, ...(workers > 1 && { workers }) });
  if (await isAwaitingFirstAccount(services)) {
    const register = `${publicUrl}/dashboard/register`;
    log.write("info", "There is no account yet: register the first one", { register });
  }
  const lost = services.engine.unusableSpaces();
  if (lost.length > 0) {
    log.write("error", "Files of projects are missing or empty: restore them from a backup", {
      projects: lost.length,
      first: lost.slice(0, NAMED_MAX).join(" "),
    });
  }
  log.flush();
  if (greeting !== null) print(greeting);
  try {
    await Promise.race([signal.received, server.finished]);
  } catch (error) {
    log.write("error", (error as Error).message);
    throw error;
  } finally {
    log.write("info", "Stopping");
    await Promise.all([server.stop(), services.jobRunner.stop()]);
  }
}

function logConnectionLimit(log: Log, { limit, connections }: Descriptors): void {
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
  readonly received: Promise<void>;
}

function listenForStop(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, resolve);
  return {
    received: promise,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, resolve);
    },
  };
}
