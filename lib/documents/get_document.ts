import type { Caller } from "../auth/principals.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { openForReading } from "./access.ts";
import { AnswerSize } from "./answer_size.ts";
import { etagOf } from "./document.ts";
import type { PopulateServices } from "./populate.ts";
import { isPlain, openPresenter } from "./present.ts";
import { parseDocumentQuery } from "./query.ts";

export interface DocumentResult {
  readonly json: string;
  /** Null if populated, because the tag would not change with the embedded documents. */
  readonly etag: string | null;
}

/** Throws `DOCUMENT_NOT_FOUND` and `ANSWER_TOO_LARGE`. */
export async function getDocument(
  services: PopulateServices,
  caller: Caller,
  { collectionName, id, query }: { collectionName: string; id: Id; query: string },
): Promise<DocumentResult> {
  const source = await openForReading(services, caller, collectionName);
  const request = parseDocumentQuery(source.collection, query);
  const { collection } = source;
  const size = new AnswerSize();
  const show = await openPresenter(services, caller, { collection, presentation: request, size });
  const filter = and(eq("_id", id), source.visible(request.includeDeleted));
  const found = await source.records.findOne(filter);
  if (found === null) throw new Problem("DOCUMENT_NOT_FOUND");
  if (!isPlain(request)) size.addRead(found.json);
  const [json] = await show([found.json]);
  return {
    json: json!,
    etag: request.populate.length > 0 ? null : etagOf(found),
  };
}
