import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { PLACEHOLDERS } from "../collections/calls.ts";
import { Copy } from "../components/copy.tsx";

/** The call of an application that answers what the grid shows. */
export const ApiCall = (
  { origin, definition, query }: {
    origin: string;
    definition: CollectionDefinition;
    query: string;
  },
) => {
  const path = `/api/data/${encodeURIComponent(definition.name)}?${query}`;
  const url = origin + path;
  const { enabled, mode } = definition.rls;
  return (
    <footer class="view-call" aria-label="The API call of this view">
      <b>GET</b>
      <code>{path}</code>
      {enabled && mode === "private" && <small>own rows only, unless with the secret key</small>}
      <Copy
        label="Copy as curl"
        text={`curl '${url}' -H 'x-api-key: ${PLACEHOLDERS.publishable}'`}
      />
      <Copy
        label="Copy as fetch"
        text={`await fetch(${
          JSON.stringify(url)
        }, { headers: { "x-api-key": "${PLACEHOLDERS.publishable}" } })`}
      />
    </footer>
  );
};
