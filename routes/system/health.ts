import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleGetHealth: Handler<null> = () =>
  ok(200, JSON.stringify({ status: "ok" }), "Alive");

export const handleGetReadiness: Handler<null> = async ({ services }) => {
  const { engine, blobStores, config, log } = services;
  const [database, storage] = [engine.name, config.storage.kind];
  const asked = [
    engine.ping().catch(notReady(`The database (${database}) does not answer.`)),
    blobStores.internal.ping().catch((cause) => {
      log.write("error", "The file storage cannot be used", { error: cause.message });
      return notReady(`The file storage (${storage}) cannot be used.`)(cause);
    }),
  ];
  await Promise.all(asked);
  return ok(200, JSON.stringify({ status: "ready", database, storage }), "Ready");
};

const notReady = (message: string) => (cause: unknown): never => {
  throw new Problem("NOT_READY", { message, cause });
};
