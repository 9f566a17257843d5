import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleGetHealth: Handler<null> = () =>
  ok(200, JSON.stringify({ status: "ok" }), "Alive");

export const handleGetReadiness: Handler<null> = async ({ services: { engine } }) => {
  try {
    await engine.ping();
  } catch (cause) {
    throw new Problem("NOT_READY", {
      message: `The database (${engine.name}) does not answer.`,
      cause,
    });
  }
  return ok(200, JSON.stringify({ status: "ready", database: engine.name }), "Ready");
};
