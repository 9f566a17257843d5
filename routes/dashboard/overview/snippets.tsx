import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import type { Json } from "@/lib/store/port.ts";
import { PLACEHOLDERS } from "../collections/calls.ts";
import { Snippet } from "../components/snippet.tsx";

/** A project's own values, for what is to be pasted. */
export interface SnippetValues {
  readonly publicUrl: string;
  /** Null but directly after it was made: it is kept nowhere. */
  readonly publishableKey: string | null;
  /** Null where there is none yet. */
  readonly collection: CollectionDefinition | null;
  /** One that is switched on, or the first that there is. */
  readonly provider: string;
}

/** First calls of the project, ready to paste. */
export const Snippets = (values: SnippetValues) => (
  <article class="card">
    <h2>First calls</h2>
    {values.publishableKey === null && (
      <p>
        Put your own publishable key in the place of <code>{KEY}</code>.
      </p>
    )}
    <Snippet label="List documents, in a shell" text={listSnippet(values)} />
    <Snippet label="Create a document, in JavaScript" text={createSnippet(values)} />
    <Snippet label="Sign in, as a link on your site" text={signInSnippet(values)} />
  </article>
);

const KEY = PLACEHOLDERS.publishable;

/** As those that are made without another word. */
const NEW: Pick<CollectionDefinition, "name" | "fields" | "rls"> = {
  name: "posts",
  fields: [],
  rls: { enabled: true, mode: "private", ownerField: "userId" },
};

const listSnippet = ({ publicUrl, publishableKey, collection }: SnippetValues): string => {
  const { name, rls } = collection ?? NEW;
  const isPrivate = rls.enabled && rls.mode === "private";
  return [
    `curl "${publicUrl}/api/data/${name}?limit=10"`,
    `-H "x-api-key: ${publishableKey ?? KEY}"`,
    ...(isPrivate ? ['-H "authorization: Bearer $ACCESS_TOKEN"'] : []),
  ].join(" \\\n  ");
};

/** Without row rules only the secret key writes, and that never leaves a server. */
const createSnippet = ({ publicUrl, publishableKey, collection }: SnippetValues): string => {
  const { name, fields, rls } = collection ?? NEW;
  const headers = rls.enabled
    ? [
      `    "x-api-key": "${publishableKey ?? KEY}",`,
      "    authorization: `Bearer ${accessToken}`,",
    ]
    : ['    "x-api-key": secretKey, // On a server only.'];
  return [
    `const answer = await fetch("${publicUrl}/api/data/${name}", {`,
    '  method: "POST",',
    "  headers: {",
    '    "content-type": "application/json",',
    ...headers,
    "  },",
    `  body: JSON.stringify(${exampleText(fields, rls)}),`,
    "});",
    "const { data } = await answer.json();",
  ].join("\n");
};

const signInSnippet = ({ publicUrl, publishableKey, provider }: SnippetValues): string =>
  `<a href="${publicUrl}/api/userAuth/social/${provider}/start` +
  `?x-api-key=${publishableKey ?? KEY}">Sign in</a>`;

const FIELDS_SHOWN = 3;

const EXAMPLES: Readonly<Record<FieldDefinition["type"], Json>> = {
  String: "First",
  Number: 1,
  Boolean: true,
  Date: "2026-01-31T12:00:00.000Z",
  Object: {},
  Array: [],
  Ref: "64f1a2b3c4d5e6f708192a3b",
};

/** The fields that must be there, else the first ones; the owner is set by the server. */
function exampleText(
  fields: readonly FieldDefinition[],
  { enabled, ownerField }: CollectionDefinition["rls"],
): string {
  const own = fields.filter(({ key }) => !enabled || key !== ownerField);
  const required = own.filter(({ required }) => required);
  const shown = required.length > 0 ? required : own.slice(0, FIELDS_SHOWN);
  if (shown.length === 0) return '{ title: "First" }';
  const members = shown.map(({ key, type }) =>
    `${JSON.stringify(key)}: ${JSON.stringify(EXAMPLES[type])}`
  );
  return `{ ${members.join(", ")} }`;
}
