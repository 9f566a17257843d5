import { aggregateDocuments } from "@/lib/documents/aggregate_documents.ts";
import { envelope } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleAggregateDocuments: HandlerOf<typeof data.aggregateDocuments> = async (c) => {
  const { services, principal, state } = c.var;
  const { warnings, ...groups } = await aggregateDocuments(services, principal, {
    collectionName: c.req.valid("param").collectionName,
    query: state.query,
  });
  const data = JSON.stringify(groups);
  return { status: 200, body: envelope(data, "Documents aggregated", warnings) };
};
