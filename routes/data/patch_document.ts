import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handlePatchDocument: HandlerOf<typeof data.patchDocument> = async (c) => {
  const { services, principal, body } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const target = await openForWriting(services, principal, collectionName);
  const { json } = await writeDocument(services, target, {
    action: "patch",
    id,
    body: await body.json(),
    ifMatch: c.req.valid("header")["if-match"],
  });
  return ok(200, json, "Document changed", etagOf({ json }));
};
