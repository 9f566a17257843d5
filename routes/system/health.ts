import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetHealth: HandlerOf<typeof system.getHealth> = () =>
  ok(200, JSON.stringify({ status: "ok" }), "Alive");

export const handleGetReadiness: HandlerOf<typeof system.getReadiness> = async (c) => {
  const { services } = c.var;
  const { engine, blobStores, config, connectionShortage, log } = services;
  const [database, storage] = [engine.name, config.storage.kind];
  const needed = async (work: Promise<void>, what: string): Promise<void> => {
    try {
      await work;
    } catch (cause) {
      log.write("error", `${what} cannot be used`, { error: (cause as Error).message });
      throw new Problem("NOT_READY", { message: `${what} cannot be used.`, cause });
    }
  };
  await Promise.all([
    needed(engine.ping(), `The database (${database})`),
    needed(blobStores.internal.ping(), `The file storage (${storage})`),
  ]);
  const lost = engine.lost?.() ?? [];
  const ready = { status: "ready", database, storage };
  const shown = {
    ...ready,
    unusableProjects: lost.length || undefined,
    connectionsExhausted: connectionShortage.isRecent() || undefined,
  };
  return ok(200, JSON.stringify(shown), "Ready");
};
