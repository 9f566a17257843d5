import { ok } from "@/lib/http/respond.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetIndex: HandlerOf<typeof system.getIndex> = (c) => {
  const { services: { config: { publicUrl } } } = c.var;
  const addresses = {
    name: "Corbel",
    reference: `${publicUrl}/docs`,
    document: `${publicUrl}/openapi.json`,
    client: `${publicUrl}/client.js`,
    commandLine: `${publicUrl}/cli.js`,
    health: `${publicUrl}/api/health`,
    ready: `${publicUrl}/api/health/ready`,
  };
  return ok(200, JSON.stringify(addresses), "Corbel is running");
};
