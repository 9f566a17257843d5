import type { Caller } from "../auth/principals.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import { type AccessServices, type Readable } from "./access.ts";
import type { Members } from "./document.ts";
import { populate } from "./populate.ts";
import { projected, projectionOf } from "./projection.ts";
import type { Presentation } from "./query.ts";

const WITHOUT_META = projectionOf(["createdAt", "updatedAt", "isDeleted", "deletedAt"], true);

/** Whether documents are to be shown just as they are stored. */
export const isPlain = ({ projection, meta, populate }: Presentation): boolean =>
  projection === null && meta && populate.length === 0;

/**
 * JSON texts of documents, joined by commas, as the query wants them shown. What is shown as
 * stored is never parsed.
 */
export async function present(
  services: AccessServices,
  caller: Caller,
  source: Pick<Readable, "collection">,
  items: string,
  presentation: Presentation,
): Promise<string> {
  if (isPlain(presentation) || items === "") return items;
  const documents = parseJson(`[${items}]`) as Members[];
  await populate(services, caller, { ...source, paths: presentation.populate }, documents);
  const shown = documents.map((document) => {
    const kept = presentation.meta ? document : projected(document, WITHOUT_META);
    return presentation.projection === null ? kept : projected(kept, presentation.projection);
  });
  return shown.map((document) => jsonText(document)).join(",");
}
