import { writeBatch } from "@/lib/documents/write_batch.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleWriteBatch: HandlerOf<typeof data.writeBatch> = async (c) => {
  const { services, principal } = c.var;
  const data = await writeBatch(services, principal, {
    operations: c.req.valid("json").operations,
    idempotencyKey: c.req.valid("header")["idempotency-key"],
  });
  return ok(200, data, "Batch done");
};
