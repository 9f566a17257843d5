import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { PLACEHOLDERS } from "../collections/calls.ts";
import { Snippet } from "../components/snippet.tsx";
import { texts } from "../texts/mod.ts";

/** A project's own values, for what is to be pasted. */
export interface SnippetValues {
  readonly publicUrl: string;
  /** Null where only its hash is known. */
  readonly publishableKey: string | null;
  /** Null where there is none yet. */
  readonly collection: CollectionDefinition | null;
  /** One that is switched on, or the first that there is. */
  readonly provider: string;
}

/** Whether the publishable key alone reads it. */
export const isReadByAnybody = ({ rls }: Pick<CollectionDefinition, "rls">): boolean =>
  !rls.enabled || rls.mode !== "private";

/**
 * First calls of the project, ready to paste; without a collection its first one comes before.
 * @param makes Where a form makes collections; null for whoever may not.
 */
export const Snippets = ({ makes, ...values }: SnippetValues & { makes: string | null }) => {
  const t = texts().overview.snippets;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {values.publishableKey === null && <p>{t.putKey(<code>{KEY}</code>)}</p>}
      {values.collection === null
        ? makes !== null && (
          <form method="post" action={makes}>
            <input type="hidden" name="name" value={FIRST} />
            <p>{t.needsCollection}</p>
            <button>{t.create(FIRST)}</button>
          </form>
        )
        : <DocumentSnippets {...values} collection={values.collection} />}
      <Snippet label={t.signIn} text={signInSnippet(values)} />
    </article>
  );
};

const KEY = PLACEHOLDERS.publishable;

/** What the first collection is called. */
const FIRST = "posts";

interface DocumentCall extends SnippetValues {
  readonly collection: CollectionDefinition;
}

const DocumentSnippets = (call: DocumentCall) => {
  const t = texts().overview.snippets;
  const { name } = call.collection;
  return (
    <>
      {!isReadByAnybody(call.collection) && (
        <p>{t.tokenOf(<code>$ACCESS_TOKEN</code>, <code>{name}</code>)}</p>
      )}
      <Snippet label={t.list} text={listSnippet(call)} />
      <Snippet label={t.createDocument} text={createSnippet(call)} />
    </>
  );
};

const listSnippet = ({ publicUrl, publishableKey, collection }: DocumentCall): string => {
  const { name } = collection;
  const isPrivate = !isReadByAnybody(collection);
  return [
    `curl "${publicUrl}/api/data/${name}?limit=10"`,
    `-H "x-api-key: ${publishableKey ?? KEY}"`,
    ...(isPrivate ? ['-H "authorization: Bearer $ACCESS_TOKEN"'] : []),
  ].join(" \\\n  ");
};

/** Without row rules only the secret key writes, and that never leaves a server. */
const createSnippet = ({ publicUrl, publishableKey, collection }: DocumentCall): string => {
  const { name, fields, rls } = collection;
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
    `${JSON.stringify(key)}: ${JSON.stringify(FIELD_TYPES[type].example)}`
  );
  return `{ ${members.join(", ")} }`;
}
