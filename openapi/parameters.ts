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
import { checkedKeyKind } from "@/lib/projects/projects.ts";
import {
  knownProvider,
  PROVIDER_NAMES,
  SIGN_IN_NAMES,
  signInProvider as signInName,
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

/** How a path parameter is shown. */
const inPath = (schema: z.ZodType<string>, description: string, example: string) =>
  schema.openapi({ param: { description, example } });

/** A path parameter that is read as it was sent: what does not fit is refused as what is unknown. */
export const path = (...shown: Parameters<typeof inPath>): PathParameter => ({
  schema: inPath(...shown),
  problem: null,
  read: (text) => text,
});

const id = (description: string): PathParameter => ({
  schema: inPath(z.string().regex(ID_ANY_CASE), description, EXAMPLE_ID),
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

/** A header that may be anything: null where it is not sent. */
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

export const memberId = id("The member's account.");

export const webhookId = id("The webhook's id.");

export const deliveryId = id("The message's id.");

export const mailId = id("The mail's id.");

export const jobId = id("The job's id.");

export const invitationId = id("The invitation's id.");

export const keyKind: PathParameter<KeyKind> = {
  schema: inPath(z.enum(KEY_KINDS), "Which of the two keys.", "secret"),
  problem: "INVALID_INPUT",
  read: checkedKeyKind,
};

export const sessionId = id("The session's id.");

export const tokenId = id("The token's id.");

export const userId = id("The user's id.");

export const referenceFile = path(z.enum(["scalar.js", "init.js"]), "The file's name.", "init.js");

export const ifMatch = header(
  "ETag of the document as you know it: the write is refused if it has changed since.",
);

export const ifNoneMatch = header(
  "ETag you hold: answered with 304 while it is current.",
);

export const lastEventId = header(
  "The id of the last event that you have had: the list goes on behind it.",
);

export const idempotencyKey: HeaderParameter<string | null> = {
  schema: z.string().regex(IDEMPOTENCY_KEY).optional().openapi({
    param: {
      description:
        "1 to 128 characters of your choice. A repeated request with the same key gets the first " +
        "answer and writes nothing, for 24 hours. An answer counts towards the project's documents " +
        `for as long as it is kept, and a project keeps up to ${KEPT_ANSWERS_MAX}.`,
    },
  }),
  problem: "INVALID_IDEMPOTENCY_KEY",
  read: checkedIdempotencyKey,
};

/** How documents are shown, in lists and alone. */
export const presentation: readonly Parameter[] = [
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
      "each. Documents stand in for the ids of a Ref field (`author`), and in them others " +
      "(`author.company`). `comments(postId)` puts those documents of `comments` whose Ref `postId` " +
      `is this one under \`comments\`, the newest first, ${REFERRERS_MAX} at most; index \`postId\`. Both ` +
      "combine: `comments(postId).author`. Each is read under the rules of its own collection: an id " +
      "of no document that the caller may see stays an id, and a document that refers back and may " +
      "not be seen is left out.",
    FILLED,
    "author",
  ),
  query("expand", "Means `populate`; both together are joined.", FILLED),
  query("include_deleted", "`true` shows documents in the trash too: a user's own, or all.", {
    ...FLAG,
    default: false,
  }),
];

export const listing: readonly Parameter[] = [
  // No default: clients that send defaults could never send a cursor or an offset.
  query(
    "page",
    `Page by number, ${PAGE_DEFAULT} where nothing says otherwise; not together with \`cursor\`.`,
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
    "`nextCursor` or `prevCursor` of a list of the same filter and sort. It carries no more than " +
      "the beginning of a long text: once the document that it names has changed or is gone, it " +
      "is refused if others in the list begin with that text as well.",
    { ...TEXT, maxLength: CURSOR_LENGTH_MAX },
  ),
  query(
    "offset",
    "Rows to pass over, in the place of `page`. A collection that declares a field of this name is " +
      "filtered by it instead; so for `skip`.",
    { type: "integer", minimum: 0, maximum: 1_000_000_000 },
  ),
  query("skip", "Means `offset`.", { type: "integer", minimum: 0, maximum: 1_000_000_000 }),
  query(
    "search",
    "Words to look for: documents in whose search fields, taken together, each of them begins " +
      `some word. Up to ${SEARCH_WORDS_MAX} words, of which one at least has a letter or a ` +
      "digit. Letter case, accents and other marks make no difference; words are found in texts " +
      "of all languages. It is one more condition: order and paging stay as they are asked for. " +
      "A field of this name is filtered by `search_in` or by `where`.",
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
    "`none` leaves the total out. `estimate` may answer a rough one; on SQLite it is exact, but " +
      "marked as an estimate. On SQLite a page and its total are of one moment; on MongoDB the " +
      "total is counted beside the page.",
    { type: "string", enum: ["exact", "none", "estimate"], default: "exact" },
  ),
  query(
    "explain",
    "`true` answers how the list would be read as `explain`, and no documents; needs the secret key.",
    { ...FLAG, default: false },
  ),
  query(
    "where",
    "A JSON tree of `and`, `or`, `not` and `{ field: { op: value } }`. Null stands for missing or " +
      "null, in a text field too; the operators that order take no null.",
    { ...FILLED, maxLength: WHERE_BYTES_MAX },
  ),
  {
    ...query(
      "filter",
      "Any other parameter filters: `status=draft`, `views_gt=5`, `status_in=a,b`. " +
        "Operators: `_gt _gte _lt _lte _ne _in _nin _exists _regex _contains _startswith`; equality has " +
        "no suffix.\n\n" +
        '- `filter[views_gt]=5` and `filter={"views_gt":5}` (JSON) mean the same, for fields of any ' +
        "name. In JSON a value is of its own type: `5` is no text.\n" +
        "- Booleans are read in any case.\n" +
        "- Several filters must all hold, also two of the same name; two `_in` or `_nin` take " +
        "their lists together.\n" +
        "- `_exists` asks whether a member is there, also one that holds null. `=null` asks for " +
        'missing or null; of a field that is declared a String it asks for the text "null" (use ' +
        "`where` instead).\n" +
        "- The operators that order take no null: it is refused, but for a String and a field " +
        'that is not declared, where it is the text "null".\n' +
        "- An array matches if one of its elements does. Members of objects in an array count as " +
        "missing.\n" +
        "- `_contains` and `_startswith` look for a text as it stands, in any letter case; in `where` " +
        "they are `contains` and `startsWith`.\n" +
        "- `_regex` takes patterns that RE2 and PCRE read alike: no repeated groups, no " +
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
  ...presentation,
];

/** `true` or `false` in any letter case; `false` if left out. */
export const flag = (name: string, description: string) =>
  z.string().toLowerCase()
    .pipe(z.enum(["true", "false"], `"${name}" must be true or false.`))
    .transform((text) => text === "true")
    .default(false)
    .openapi({ type: "boolean", default: false, param: { description } });

/** How a document is deleted. */
export const deletion = queryOf({
  permanent: flag(
    "permanent",
    "`true` removes for good, from the trash too; needs the secret key.",
  ),
}, "deletions");

/** Whether a document that is not there is created. */
export const replacing = openQueryOf({
  upsert: flag(
    "upsert",
    "`true` creates the document under this id where there is none. Not together with " +
      "`If-Match`, by which nothing is created.",
  ),
});

/** Whether a document that is there is changed instead. */
export const creating = openQueryOf({
  upsert: z.string().regex(DECLARED_NAME, '"upsert" must be the name of a unique field.')
    .optional().openapi({
      param: {
        description: "A unique field. Where a document that is not in the trash has the body's " +
          "value in it, that one is changed, as PATCH would by plain members; else the document " +
          "is created. Of two such requests at once one creates and the other changes.",
        example: "slug",
      },
    }),
});

export const provider: PathParameter = {
  schema: inPath(
    z.enum(PROVIDER_NAMES as [string, ...string[]]),
    "The sign-in provider.",
    PROVIDER_NAMES[0]!,
  ),
  problem: "PROVIDER_UNKNOWN",
  read: knownProvider,
};

export const signInProvider: PathParameter = {
  schema: inPath(
    z.enum(SIGN_IN_NAMES as [string, ...string[]]),
    "The sign-in provider. `dev`, which lets users choose who they are, is there only in " +
      "`deno task dev`.",
    PROVIDER_NAMES[0]!,
  ),
  problem: "PROVIDER_UNKNOWN",
  read: signInName,
};

/** What a sign-in may be started with. */
export const startSignIn: readonly Parameter[] = [
  query(
    "key",
    "The publishable key; means `x-api-key`. A secret key is taken from the header only.",
    TEXT,
  ),
  query(
    "return_to",
    "A path on the project's site, also once it is decoded and normalised. It comes back with the user, who always lands on " +
      "`/auth/callback`.",
    { type: "string", maxLength: RETURN_TO_LENGTH_MAX },
    "/settings?tab=profile",
  ),
  query(
    "state",
    "Anything of your choice. It comes back unchanged, so that a page can tell its own sign-in " +
      "from one that somebody else has planted.",
    { type: "string", maxLength: STATE_LENGTH_MAX },
  ),
];

/** What a provider sends the browser back with. */
export const signInCallback: readonly Parameter[] = [
  {
    ...query(
      "state",
      "Names the sign-in, once: the project's id, since all projects share this address, and 32 " +
        "random bytes.",
      TEXT,
    ),
    required: true,
  },
  query("code", "What is redeemed at the provider.", TEXT),
  query("error", "Why the provider did not sign the user in.", TEXT),
  query("iss", "Which provider this is; if it is sent, it must be the right one.", TEXT),
];

/** Where a refresh token is looked for, beside the body and the cookie. */
export const refreshToken = header(
  "The refresh token. Without it the body's `refreshToken` counts, and without that the cookie, " +
    "if the request comes from the Site URL or one of the allowed origins.",
);

/** Whether the client wants nothing to do with the cookie. */
export const refreshTokenMode: HeaderParameter<boolean> = {
  ...header(
    "`header` has the answer set no cookie. A refresh that brings its token in the cookie alone is " +
      "then refused, and leaves the cookie as it is.",
  ),
  read: (text) => text?.toLowerCase() === "header",
};

export const acceptLanguage: HeaderParameter<string | null> = header(
  "In which language mails are written, as far as the project has templates in it.",
);

export const username = path(
  z.string().regex(USERNAME),
  "The user's username, in whatever letter case.",
  "ada",
);

export function wholeNumber(name: string, max: number) {
  const says = `"${name}" must be a whole number from 1 to ${max}.`;
  return z.string().regex(/^[1-9]\d{0,9}$/, says).transform(Number)
    .refine((number) => number <= max, says);
}

/** Pages of all that is no document, beside further parameters. */
export const paging = {
  limit: wholeNumber("limit", LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT)
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: LIST_LIMIT_MAX,
      default: LIST_LIMIT_DEFAULT,
      param: { description: "Items per page." },
    }),
  cursor: z.string().optional().openapi({
    maxLength: CURSOR_LENGTH_MAX,
    param: { description: "`nextCursor` of the page before." },
  }),
};

/** The same without any. */
export const pageQuery = queryOf(paging, "this list");

export const userQuery = queryOf({
  ...paging,
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
      description: "Users in whose e-mail this stands, in any letter case. `email` is faster.",
    },
  }),
}, "this list");

/** Parameters of a list that its changes have no use for. */
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

export const liveListing: readonly Parameter[] = [
  ...listing.filter(({ name }) => !NOT_LIVE.includes(name))
    .map((one) => ({ ...one, description: "As of a list of documents." })),
  query("snapshot", "`false` leaves the list itself out, and with it the totals.", {
    ...FLAG,
    default: true,
  }),
];
