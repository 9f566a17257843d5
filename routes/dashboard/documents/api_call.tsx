import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { PLACEHOLDERS } from "../collections/calls.ts";
import { Copy } from "../components/copy.tsx";
import { texts } from "../texts/mod.ts";

/** The API call whose result the grid shows. */
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
  const { call: t } = texts().documents.grid;
  return (
    <footer class="view-call" aria-label={t.label}>
      <b>GET</b>
      <code>{path}</code>
      {enabled && mode === "private" && <small>{t.ownOnly}</small>}
      <Copy
        label={t.curl}
        text={`curl '${url}' -H 'x-api-key: ${PLACEHOLDERS.publishable}'`}
      />
      <Copy
        label={t.fetch}
        text={`await fetch(${
          JSON.stringify(url)
        }, { headers: { "x-api-key": "${PLACEHOLDERS.publishable}" } })`}
      />
    </footer>
  );
};
