import { buildQuery, type BuiltQuery } from "@/lib/ai/build_query.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { buildQuery as contract } from "@/openapi/paths/ai.ts";
import type { HandlerOf } from "../handler.ts";

export const handleBuildQuery: HandlerOf<typeof contract> = async (c) => {
  const { services, principal } = c.var;
  const built = await buildQuery(services, principal, c.req.valid("json"), c.req.raw.signal);
  return ok(200, textOf(built), "Query built");
};

/** The documents' texts are put in as they are. */
function textOf({ preview, filters, dropped, sort, query }: BuiltQuery): string {
  const text = jsonText({
    filters: filters.map((one) => ({ ...one })),
    sort,
    query,
    dropped: dropped.map((one) => ({ ...one })),
  });
  if (preview === undefined) return text;
  const shown = preview === null ? "null" : `{"items":[${preview.items}],"total":${preview.total}}`;
  return `${text.slice(0, -1)},"preview":${shown}}`;
}
