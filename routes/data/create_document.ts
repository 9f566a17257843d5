import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleCreateDocument: HandlerOf<typeof data.createDocument> = async (c) => {
  const { services, principal, body: reader } = c.var;
  const { upsert: field } = c.req.valid("query");
  const target = await openForWriting(services, principal, c.req.valid("param").collectionName);
  const body = await reader.json();
  const { json, isNew } = await writeDocument(services, target, {
    ...(field === undefined ? { action: "create", body } : { action: "upsertBy", field, body }),
    idempotencyKey: c.req.valid("header")["idempotency-key"],
  });
  const etag = etagOf({ json });
  return isNew ? ok(201, json, "Document created", etag) : ok(200, json, "Document changed", etag);
};
