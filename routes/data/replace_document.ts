import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleReplaceDocument: HandlerOf<typeof data.replaceDocument> = async (c) => {
  const { services, principal, body: reader } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const { upsert } = c.req.valid("query");
  const ifMatch = c.req.valid("header")["if-match"];
  const target = await openForWriting(services, principal, collectionName);
  const body = await reader.json();
  const { json, isNew } = await writeDocument(
    services,
    target,
    // A caller that sends If-Match replaces that revision only and does not create a document.
    upsert && ifMatch === null
      ? { action: "upsert", id, body }
      : { action: "replace", id, body, ifMatch },
  );
  const etag = etagOf({ json });
  return isNew ? ok(201, json, "Document created", etag) : ok(200, json, "Document replaced", etag);
};
