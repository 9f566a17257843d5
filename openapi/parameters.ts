import { z } from "@hono/zod-openapi";
import { USERNAME } from "@/lib/auth/users.ts";
import { KEY_KINDS, type KeyKind } from "@/lib/projects/api_keys.ts";
import { checkedIdempotencyKey, IDEMPOTENCY_KEY } from "@/lib/documents/idempotency.ts";
import { DECLARED_NAME } from "@/lib/documents/names.ts";
import { ID_ANY_CASE, requiredId, requiredProjectId } from "@/lib/ids.ts";
import {
  CURSOR_LENGTH_MAX,
  EMAIL_SEARCH_LENGTH_MAX,
  FIELDS_MAX,
  KEPT_ANSWERS_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  PAGE_DEFAULT,
  PATH_LENGTH_MAX,
  PATH_LEVELS_MAX,
  POPULATE_LEVELS_MAX,
  POPULATE_PATHS_MAX,
  REFERRERS_MAX,
  RETURN_TO_LENGTH_MAX,
  SEARCH_LENGTH_MAX,
  SEARCH_WORDS_MAX,
  STATE_LENGTH_MAX,
  WHERE_BYTES_MAX,
} from "@/lib/limits.ts";
import { parseKeyKind } from "@/lib/projects/projects.ts";
import {
  checkProviderName,
  checkSignInProviderName as signInName,
  PROVIDER_NAMES,
  SIGN_IN_NAMES,
} from "@/lib/social/providers.ts";
import type { Parameter } from "./contract.ts";
import {
  type HeaderParameter,
  openQueryOf,
  type PathParameter,
  queryOf,
  WITHOUT_NUL_PATTERN,
} from "./inputs.ts";
import { EXAMPLE_ID } from "./schemas/values.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string" };
const FILLED = { type: "string", minLength: 1 };
const FLAG = { type: "boolean" };

const describePathParameter = (schema: z.ZodType<string>, description: string, example: string) =>
  schema.openapi({ param: { description, example } });

/** Declares a path parameter that is not checked: an invalid text is treated as an unknown one. */
export const path = (...shown: Parameters<typeof describePathParameter>): PathParameter => ({
  schema: describePathParameter(...shown),
  problem: null,
  read: (text) => text,
});

const id = (description: string): PathParameter => ({
  schema: describePathParameter(z.string().regex(ID_ANY_CASE), description, EXAMPLE_ID),
  problem: "INVALID_ID",
  read: requiredId,
});

export const query = (
  name: string,
  description: string,
  schema: Schema,
  example?: unknown,
): Parameter => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
  ...(example !== undefined && { example }),
});

/** Declares a header with any text; null if it is not sent. */
export const header = (description: string): HeaderParameter<string | null> => ({
  schema: z.string().optional().openapi({ param: { description } }),
  problem: null,
  read: (text) => text,
});

export const collectionName = path(
  z.string().regex(DECLARED_NAME),
  "The collection's name.",
  "posts",
);

export const documentId = id("The document's id.");

export const projectId: PathParameter = {
  ...id("The project's id."),
  problem: "INVALID_PROJECT_ID",
  read: requiredProjectId,
};

export const memberId = id("The id of the member's account.");

export const webhookId = id("The webhook's id.");

export const deliveryId = id("The message's id.");

export const mailId = id("The mail's id.");

export const jobId = id("The job's id.");

export const invitationId = id("The invitation's id.");

export const keyKind: PathParameter<KeyKind> = {
  schema: describePathParameter(z.enum(KEY_KINDS), "Which of the two keys.", "secret"),
  problem: "INVALID_INPUT",
  read: parseKeyKind,
};

export const sessionId = id("The session's id.");

export const tokenId = id("The token's id.");

export const userId = id("The user's id.");

export const referenceFile = path(z.enum(["scalar.js", "init.js"]), "The file's name.", "init.js");

export const ifMatch = header(
  "The document's last known ETag: the write is refused if the document has changed since.",
);

export const ifNoneMatch = header(
  "The last known ETag: while it is current, the answer is 304.",
);

export const lastEventId = header(
  "The id of the last event that you received: the list continues after it.",
);

export const idempotencyKey: HeaderParameter<string | null> = {
  schema: z.string().regex(IDEMPOTENCY_KEY).optional().openapi({
    param: {
      description: "1 to 128 characters of your choice. For 24 hours, a repeated request with " +
        "the same key gets the first answer and writes nothing. A stored answer counts as a " +
        `document of the project, which stores up to ${KEPT_ANSWERS_MAX}.`,
    },
  }),
  problem: "INVALID_IDEMPOTENCY_KEY",
  read: checkedIdempotencyKey,
};

/** Parameters for the presentation of documents, in lists and single reads. */
export const presentationParameters: readonly Parameter[] = [
  query(
    "fields",
    `Members to show, or with \`-\` to leave out, comma-separated: up to ${FIELDS_MAX} names, ` +
      "dotted paths among them.",
    FILLED,
  ),
  query("meta", "`false` leaves out createdAt, updatedAt, isDeleted and deletedAt.", {
    ...FLAG,
    default: true,
  }),
  query(
    "populate",
    `Up to ${POPULATE_PATHS_MAX} paths, comma-separated, of up to ${POPULATE_LEVELS_MAX} references ` +
      "each. Documents replace the ids of a Ref field (`author`), also inside them " +
      "(`author.company`). `comments(postId)` adds `comments`: the documents of that collection " +
      `whose Ref \`postId\` is this document, newest first, ${REFERRERS_MAX} at most; index \`postId\`. ` +
      "Paths combine: `comments(postId).author`. Each collection's own rules apply: an id stays an id " +
      "if the caller may not see its document, and referring documents that the caller may not see " +
      "are left out.",
    FILLED,
    "author",
  ),
  query("expand", "Alias of `populate`; paths of both are joined.", FILLED),
  query("include_deleted", "`true` includes documents in the trash: for a user, their own.", {
    ...FLAG,
    default: false,
  }),
];

export const listParameters: readonly Parameter[] = [
  // No default: clients that send defaults could never send a cursor or an offset.
  query(
    "page",
    `Page number, ${PAGE_DEFAULT} by default; not together with \`cursor\`.`,
    { type: "integer", minimum: 1 },
  ),
  query("limit", "Documents per page.", {
    type: "integer",
    minimum: 1,
    maximum: LIST_LIMIT_MAX,
    default: LIST_LIMIT_DEFAULT,
  }),
  query(
    "sort",
    "Declared fields, comma-separated; `-field` or `field:desc` descends.",
    { type: "string", default: "-createdAt" },
    "-createdAt",
  ),
  query(
    "cursor",
    "`nextCursor` or `prevCursor` of a list with the same filter and sort. A cursor contains only " +
      "the beginning of a long text. If its document has changed or is gone, and other documents " +
      "begin with the same text, the cursor is refused.",
    { ...TEXT, maxLength: CURSOR_LENGTH_MAX },
  ),
  query(
    "offset",
    "Number of documents to skip, instead of `page`. In a collection that declares a field " +
      "`offset` or `skip`, that parameter filters by the field.",
    { type: "integer", minimum: 0, maximum: 1_000_000_000 },
  ),
  query("skip", "Alias of `offset`.", { type: "integer", minimum: 0, maximum: 1_000_000_000 }),
  query(
    "search",
    "Search words. A document matches if each of them begins a word in one of its search fields. " +
      `Up to ${SEARCH_WORDS_MAX} words, of which at least one has a letter or a digit. Letter case, ` +
      "accents and other marks are ignored; all languages are supported. The search is one more " +
      "condition and does not affect order and paging. A field named `search` is filtered by " +
      "`search_in` or by `where`.",
    { ...FILLED, maxLength: SEARCH_LENGTH_MAX },
    "fast store",
  ),
  query(
    "count",
    "`true` answers the number of matching documents as `count`, and no documents.",
    FLAG,
  ),
  query(
    "total",
    "`none` leaves the total out. `estimate` allows an approximate total; on SQLite it is exact, " +
      "but marked as an estimate. On SQLite, a page and its total are of the same snapshot; on " +
      "MongoDB they are read separately.",
    { type: "string", enum: ["exact", "none", "estimate"], default: "exact" },
  ),
  query(
    "explain",
    "`true` answers the query plan as `explain`, and no documents; needs the secret key.",
    { ...FLAG, default: false },
  ),
  query(
    "where",
    "A JSON tree of `and`, `or`, `not` and `{ field: { op: value } }`. Null means missing or null, " +
      "in a text field too; `gt`, `gte`, `lt` and `lte` refuse null.",
    { ...FILLED, maxLength: WHERE_BYTES_MAX },
  ),
  {
    ...query(
      "filter",
      "Any other parameter filters: `status=draft`, `views_gt=5`, `status_in=a,b`. Operators: " +
        "`_gt _gte _lt _lte _ne _in _nin _exists _regex _contains _startswith`; equality has no " +
        "suffix.\n\n" +
        '- `filter[views_gt]=5` and `filter={"views_gt":5}` (JSON) mean the same, for fields of ' +
        "any name. In JSON, values keep their types: `5` is a number.\n" +
        "- Booleans are read in any letter case.\n" +
        "- All filters must match, also two of the same name; the lists of two `_in` or `_nin` " +
        "are joined.\n" +
        "- `_exists` asks whether a member is present, even if it is null. `=null` asks for " +
        'missing or null; for a declared String it asks for the text "null" (use `where` ' +
        "instead).\n" +
        "- `_gt`, `_gte`, `_lt` and `_lte` refuse null, except for Strings and undeclared " +
        'fields, where it is the text "null".\n' +
        "- An array matches if one of its elements does. Members of objects in an array count as " +
        "missing.\n" +
        "- `_contains` and `_startswith` look for a literal text in any letter case; in `where` " +
        "they are `contains` and `startsWith`.\n" +
        "- `_regex` accepts patterns that RE2 and PCRE read alike: no repeated groups, no " +
        "look-around, repeats up to 100.\n" +
        `- A dotted path has at most ${PATH_LEVELS_MAX} levels and ${PATH_LENGTH_MAX} characters.`,
      {
        type: "object",
        propertyNames: { minLength: 1 },
        additionalProperties: { type: "string" },
      },
    ),
    style: "form",
    explode: true,
  },
  ...presentationParameters,
];

/** Declares a flag: `true` or `false` in any letter case, `false` if left out. */
export const flagParameter = (name: string, description: string) =>
  z.string().toLowerCase()
    .pipe(z.enum(["true", "false"], `"${name}" must be true or false.`))
    .transform((text) => text === "true")
    .default(false)
    .openapi({ type: "boolean", default: false, param: { description } });

export const deletionQuery = queryOf({
  permanent: flagParameter(
    "permanent",
    "`true` deletes permanently, from the trash too; needs the secret key.",
  ),
}, "deletions");

export const replaceQuery = openQueryOf({
  upsert: flagParameter(
    "upsert",
    "`true` creates the document under this id if it does not exist. Not together with `If-Match`.",
  ),
});

export const createQuery = openQueryOf({
  upsert: z.string().regex(DECLARED_NAME, '"upsert" must be the name of a unique field.')
    .optional().openapi({
      param: {
        description:
          "A unique field. If a document outside the trash has the body's value in this " +
          "field, it is changed as by PATCH with plain members; otherwise the document is created. " +
          "If two requests do this at once, one creates the document and the other changes it.",
        example: "slug",
      },
    }),
});

export const provider: PathParameter = {
  schema: describePathParameter(
    z.enum(PROVIDER_NAMES as [string, ...string[]]),
    "The sign-in provider.",
    PROVIDER_NAMES[0]!,
  ),
  problem: "PROVIDER_UNKNOWN",
  read: checkProviderName,
};

export const signInProvider: PathParameter = {
  schema: describePathParameter(
    z.enum(SIGN_IN_NAMES as [string, ...string[]]),
    "The sign-in provider. `dev`, where users choose an identity, exists only in `deno task dev`.",
    PROVIDER_NAMES[0]!,
  ),
  problem: "PROVIDER_UNKNOWN",
  read: signInName,
};

export const startSignInParameters: readonly Parameter[] = [
  query(
    "key",
    "The publishable key; alias of `x-api-key`. A secret key is accepted only in the header.",
    TEXT,
  ),
  query(
    "return_to",
    "A path on the project's site, even after decoding and normalisation. It is returned with " +
      "the user, who always lands on `/auth/callback`.",
    { type: "string", maxLength: RETURN_TO_LENGTH_MAX },
    "/settings?tab=profile",
  ),
  query(
    "state",
    "A value of your choice. It is returned unchanged, so that a page can distinguish its own " +
      "sign-in from one that an attacker started.",
    { type: "string", maxLength: STATE_LENGTH_MAX },
  ),
];

/** Query with which a provider redirects the browser back. */
export const signInCallbackParameters: readonly Parameter[] = [
  {
    ...query(
      "state",
      "Identifies the sign-in, once: the project's id, because all projects share this address, " +
        "and 32 random bytes.",
      TEXT,
    ),
    required: true,
  },
  query("code", "The code to redeem at the provider.", TEXT),
  query("error", "The provider's reason for not signing the user in.", TEXT),
  query("iss", "The provider's issuer; if it is sent, it must match.", TEXT),
];

/** Header with a refresh token, which takes precedence over the body and the cookie. */
export const refreshToken = header(
  "The refresh token. If it is not sent, the body's `refreshToken` is used, otherwise the cookie " +
    "if the request comes from the Site URL or an allowed origin.",
);

/** Whether the client manages the refresh token without the cookie. */
export const refreshTokenMode: HeaderParameter<boolean> = {
  ...header(
    "With `header`, the answer sets no cookie. A refresh whose token is only in the cookie is then " +
      "refused and leaves the cookie unchanged.",
  ),
  read: (text) => text?.toLowerCase() === "header",
};

export const acceptLanguage: HeaderParameter<string | null> = header(
  "The language of mails, if the project has templates in it.",
);

export const username = path(
  z.string().regex(USERNAME),
  "The user's username, in any letter case.",
  "ada",
);

export function integerUpTo(name: string, max: number) {
  const says = `"${name}" must be a whole number from 1 to ${max}.`;
  return z.string().regex(/^[1-9]\d{0,9}$/, says).transform(Number)
    .refine((number) => number <= max, says);
}

/** Paging parameters of lists other than documents. */
export const pagingParameters = {
  limit: integerUpTo("limit", LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT)
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: LIST_LIMIT_MAX,
      default: LIST_LIMIT_DEFAULT,
      param: { description: "Items per page." },
    }),
  cursor: z.string().optional().openapi({
    maxLength: CURSOR_LENGTH_MAX,
    param: { description: "`nextCursor` of the previous page." },
  }),
};

export const pageQuery = queryOf(pagingParameters, "this list");

export const userQuery = queryOf({
  ...pagingParameters,
  email: z.string().optional().openapi({
    param: {
      description: "The user with this e-mail, in any letter case.",
      example: "ada@example.com",
    },
  }),
  search: z.string().optional().openapi({
    minLength: 1,
    maxLength: EMAIL_SEARCH_LENGTH_MAX,
    pattern: WITHOUT_NUL_PATTERN,
    param: {
      description: "Users whose e-mail contains this text, in any letter case. `email` is faster.",
    },
  }),
}, "this list");

/** Parameters of a list that do not apply to a live list. */
const NOT_LIVE: readonly string[] = [
  "page",
  "cursor",
  "offset",
  "skip",
  "count",
  "explain",
  "populate",
  "expand",
];

export const liveListParameters: readonly Parameter[] = [
  ...listParameters.filter(({ name }) => !NOT_LIVE.includes(name))
    .map((one) => ({ ...one, description: "As in a list of documents." })),
  query("snapshot", "`false` leaves out the list itself and its totals.", {
    ...FLAG,
    default: true,
  }),
];
