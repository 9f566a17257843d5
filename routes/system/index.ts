import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleGetIndex: Handler<null> = ({ services: { config: { publicUrl } } }) => {
  const addresses = {
    name: "Corbel",
    reference: `${publicUrl}/docs`,
    document: `${publicUrl}/openapi.json`,
    health: `${publicUrl}/api/health`,
    ready: `${publicUrl}/api/health/ready`,
  };
  return ok(200, JSON.stringify(addresses), "Corbel is running");
};
