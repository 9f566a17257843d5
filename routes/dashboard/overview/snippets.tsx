import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { PLACEHOLDERS } from "../collections/calls.ts";
import { Snippet } from "../components/snippet.tsx";
import { texts } from "../texts/mod.ts";

export interface SnippetValues {
  readonly publicUrl: string;
  /** Publishable key, or null if only its hash is known. */
  readonly publishableKey: string | null;
  /** Collection of the examples, or null if the project does not have one. */
  readonly collection: CollectionDefinition | null;
  /** An enabled sign-in provider, or else the first one. */
  readonly provider: string;
}

/** Whether the publishable key can read all documents without a signed-in user. */
export const isPubliclyReadable = ({ rls }: Pick<CollectionDefinition, "rls">): boolean =>
  !rls.enabled || rls.mode !== "private";

/** First calls of the project. @param createAction Creates collections; null if not permitted. */
export const Snippets = (
  { createAction, ...values }: SnippetValues & { createAction: string | null },
) => {
  const t = texts().overview.snippets;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {values.publishableKey === null && <p>{t.putKey(<code>{PLACEHOLDER_KEY}</code>)}</p>}
      {values.collection === null
        ? createAction !== null && (
          <form method="post" action={createAction}>
            <input type="hidden" name="name" value={FIRST_COLLECTION} />
            <p>{t.needsCollection}</p>
            <button>{t.create(FIRST_COLLECTION)}</button>
          </form>
        )
        : <DocumentSnippets {...values} collection={values.collection} />}
      <Snippet label={t.signIn} text={signInSnippet(values)} />
    </article>
  );
};

const PLACEHOLDER_KEY = PLACEHOLDERS.publishable;

const FIRST_COLLECTION = "posts";

interface DocumentCall extends SnippetValues {
  readonly collection: CollectionDefinition;
}

const DocumentSnippets = (call: DocumentCall) => {
  const t = texts().overview.snippets;
  const { name } = call.collection;
  return (
    <>
      {!isPubliclyReadable(call.collection) && (
        <p>{t.tokenOf(<code>$ACCESS_TOKEN</code>, <code>{name}</code>)}</p>
      )}
      <Snippet label={t.list} text={listSnippet(call)} />
      <Snippet label={t.createDocument} text={createSnippet(call)} />
    </>
  );
};

const listSnippet = ({ publicUrl, publishableKey, collection }: DocumentCall): string => {
  const { name } = collection;
  const isPrivate = !isPubliclyReadable(collection);
  return [
    `curl "${publicUrl}/api/data/${name}?limit=10"`,
    `-H "x-api-key: ${publishableKey ?? PLACEHOLDER_KEY}"`,
    ...(isPrivate ? ['-H "authorization: Bearer $ACCESS_TOKEN"'] : []),
  ].join(" \\\n  ");
};

/** Returns a call that creates a document. Without row rules only the secret key may do so. */
const createSnippet = ({ publicUrl, publishableKey, collection }: DocumentCall): string => {
  const { name, fields, rls } = collection;
  const headers = rls.enabled
    ? [
      `    "x-api-key": "${publishableKey ?? PLACEHOLDER_KEY}",`,
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
  `?x-api-key=${publishableKey ?? PLACEHOLDER_KEY}">Sign in</a>`;

const FIELDS_MAX = 3;

/** Returns an example document with the required fields, or else the first fields. */
function exampleText(
  fields: readonly FieldDefinition[],
  { enabled, ownerField }: CollectionDefinition["rls"],
): string {
  const own = fields.filter(({ key }) => !enabled || key !== ownerField);
  const required = own.filter(({ required }) => required);
  const included = required.length > 0 ? required : own.slice(0, FIELDS_MAX);
  if (included.length === 0) return '{ title: "First" }';
  const members = included.map(({ key, type }) =>
    `${JSON.stringify(key)}: ${JSON.stringify(FIELD_TYPES[type].example)}`
  );
  return `{ ${members.join(", ")} }`;
}
