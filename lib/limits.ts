/**
 * Every number that a client or an operator can run into. The table in docs/limits.md is
 * generated from {@linkcode LIMITS}; the code reads the numbers from here and nowhere else.
 */

const MiB = 1_048_576;

type Limit = { readonly value: number; readonly unit: string; readonly source: string };

const limit = <const V extends number>(value: V, unit: string, source: string) =>
  ({ value, unit, source }) as const satisfies Limit;

const INTERFACE = "interface section 8";
const DOCUMENTS = "wire rules, documents";
const TOKENS = "wire rules, tokens";
const FILES = "wire rules, files";
const EVERYWHERE = "wire rules, everywhere";
const DESIGN = "design";
const OWNERS = "wire rules, owners";
const PLANS = "plans";
const OURS = "decision";

export const LIMITS = {
  PAGE_DEFAULT: limit(1, "page", INTERFACE),
  LIST_LIMIT_DEFAULT: limit(100, "documents", INTERFACE),
  LIST_LIMIT_MAX: limit(1000, "documents", INTERFACE),
  BULK_DOCUMENTS_MAX: limit(100, "documents", DOCUMENTS),
  ANSWER_BYTES_MAX: limit(16 * MiB, "bytes of the documents that one answer shows", DOCUMENTS),
  ANSWER_READ_BYTES_MAX: limit(
    128 * MiB,
    "bytes of the documents that are read for one answer, where it shows parts of them",
    OURS,
  ),
  DOCUMENT_BYTES_MAX: limit(1 * MiB, "bytes of JSON text", DOCUMENTS),
  DOCUMENT_DEPTH_MAX: limit(20, "levels", DOCUMENTS),
  DOCUMENT_MEMBERS_MAX: limit(
    20_000,
    "members of a document, those of objects in it included",
    OURS,
  ),
  NAME_LENGTH_MAX: limit(64, "characters of a collection or declared field name", DOCUMENTS),
  DEFINITION_DEPTH_MAX: limit(3, "levels of nested fields", "definition of a collection"),
  DEFINITION_FIELDS_MAX: limit(200, "fields of a definition, nested ones included", OURS),
  QUERY_LENGTH_MAX: limit(32_768, "characters of a query as it is sent, of any operation", OURS),
  QUERY_PARAMETERS_MAX: limit(100, "parameters of a query, of any operation", OURS),
  PATH_LEVELS_MAX: limit(20, "levels of a dotted path", OURS),
  PATH_LENGTH_MAX: limit(300, "characters of a dotted path", OURS),
  FIELDS_MAX: limit(200, "different names in `fields`", OURS),
  CURSOR_LENGTH_MAX: limit(2048, "characters of a cursor", OURS),
  INDEXES_MAX: limit(10, "entries of `indexes`", "definition of a collection"),
  INDEX_FIELDS_MAX: limit(4, "fields of one of them", "definition of a collection"),
  DEFINITION_LENGTH_MAX: limit(65_536, "characters of a definition's JSON text", OURS),
  DEFAULTS_BYTES_MAX: limit(1 * MiB, "bytes that defaults add to what one request sends", OURS),
  DEFINITION_VALUES_MAX: limit(5000, "JSON values that a definition is made of", OURS),
  REGEX_LENGTH_MAX: limit(128, "characters", DOCUMENTS),
  PATTERN_SIZE_MAX: limit(300, "instructions that a pattern compiles to", OURS),
  PATTERNS_MAX: limit(10, "patterns in one query", OURS),
  WHERE_BYTES_MAX: limit(4096, "bytes", DOCUMENTS),
  WHERE_DEPTH_MAX: limit(5, "levels", DOCUMENTS),
  WHERE_CONDITIONS_MAX: limit(50, "conditions", DOCUMENTS),
  IN_VALUES_MAX: limit(1000, "values of one `_in` or `_nin`", OURS),
  SORT_KEYS_MAX: limit(8, "fields", OURS),
  POPULATE_FIELDS_MAX: limit(3, "fields", "documents"),
  IDEMPOTENCY_KEY_LENGTH_MAX: limit(128, "characters", DOCUMENTS),
  KEPT_ANSWERS_MAX: limit(10_000, "answers that a project keeps for `Idempotency-Key`", OURS),
  IDEMPOTENCY_HOURS: limit(24, "hours", DOCUMENTS),
  TRASH_DAYS: limit(30, "days", DOCUMENTS),
  BODY_BYTES_MAX: limit(1 * MiB + 65_536, "bytes of a JSON body (1 MiB and a margin)", OURS),
  BODY_MEMBERS_MAX: limit(50_000, "members of all objects in a JSON body", OURS),
  BODY_VALUES_MAX: limit(
    500_000,
    "values in a JSON body; an object or a list counts as five",
    OURS,
  ),
  SMALL_BODY_BYTES_MAX: limit(65_536, "bytes of a body that holds no document", OURS),
  BULK_BODY_BYTES_MAX: limit(8 * MiB, "bytes of a bulk body", DOCUMENTS),
  BODIES_BYTES_MAX: limit(256 * MiB, "bytes of all bodies that a process holds at once", OURS),
  BODIES_SHARE_BYTES_MAX: limit(64 * MiB, "bytes of those of one project or address", OURS),
  FORM_BYTES_MAX: limit(4 * MiB, "bytes of a form of the dashboard", OURS),
  FORM_TEXT_LENGTH_MAX: limit(1 * MiB + 262_144, "characters of its fields, decoded", OURS),
  FORM_FIELDS_MAX: limit(1000, "fields of a form of the dashboard", OURS),
  DEFINITION_FORM_FIELDS_MAX: limit(2000, "fields of the one that defines a collection", OURS),
  COLUMNS_MAX: limit(500, "columns of a grid, an import or a CSV export", OURS),
  GRID_ROWS_MAX: limit(100, "rows of a page of documents in the dashboard", OURS),
  IMPORT_BYTES_MAX: limit(1 * MiB, "bytes of a file that is imported", OURS),
  IMPORT_ROWS_MAX: limit(5000, "rows of an import", OURS),
  IMPORT_CELLS_MAX: limit(60_000, "cells of an import, or values of its JSON", OURS),
  REQUESTS_AT_ONCE_MAX: limit(
    4000,
    "requests that a process works on at once, streams included",
    OURS,
  ),
  REQUESTS_SHARE_MAX: limit(2000, "of those of one project or address", OURS),
  REQUEST_TIMEOUT_SECONDS: limit(30, "seconds, for the body and for the handler each", DESIGN),
  SHUTDOWN_SECONDS: limit(10, "seconds to finish what is in flight", DESIGN),
  RATE_PER_MINUTE: limit(1000, "requests per publishable key and address", EVERYWHERE),
  CACHE_STALE_SECONDS: limit(5, "seconds a change may go unseen by another process", DESIGN),
  SIGN_IN_RATE_PER_MINUTE: limit(60, "sign-ins and refreshes per key and address", EVERYWHERE),
  ACCESS_TOKEN_MINUTES: limit(15, "minutes", TOKENS),
  SESSION_DAYS: limit(30, "days of a session without a refresh", TOKENS),
  SESSION_DAYS_MAX: limit(180, "days of a session, however often it is refreshed", TOKENS),
  REFRESH_GRACE_SECONDS: limit(10, "seconds in which a used refresh token may come again", TOKENS),
  REFRESH_REPLAYS_MAX: limit(50, "times it may come again within them", TOKENS),
  EXCHANGE_CODE_SECONDS: limit(60, "seconds, single use", INTERFACE),
  PERSON_NAME_LENGTH_MAX: limit(200, "characters of a user's `name`", OURS),
  USERNAME_LENGTH_MAX: limit(64, "characters of a user's `username`", OURS),
  AVATAR_URL_LENGTH_MAX: limit(2048, "characters of a user's `avatarUrl`", OURS),
  EMAIL_SEARCH_LENGTH_MAX: limit(64, "characters of `search` in a list of users", OURS),
  DEVICE_NAME_LENGTH_MAX: limit(200, "characters kept of a User-Agent", OURS),
  SIGN_IN_MINUTES: limit(10, "minutes between start and callback of a sign-in", TOKENS),
  PROVIDER_TIMEOUT_SECONDS: limit(10, "seconds a provider may take in all per request", "social"),
  PROVIDER_ANSWER_BYTES_MAX: limit(1 * MiB, "bytes of a provider's answer", OURS),
  STATE_LENGTH_MAX: limit(256, "characters of an application's `state`", TOKENS),
  RETURN_TO_LENGTH_MAX: limit(2048, "characters of `return_to`", OURS),
  FREE_STORAGE_BYTES: limit(20 * MiB, "bytes of all files of a project, free plan", INTERFACE),
  FREE_FILE_BYTES_MAX: limit(10 * MiB, "bytes of a file, free plan", INTERFACE),
  PRO_STORAGE_BYTES: limit(10_240 * MiB, "bytes of all files of a project, pro plan", OURS),
  PRO_FILE_BYTES_MAX: limit(100 * MiB, "bytes of a file, pro plan", OURS),
  FREE_DOCUMENT_BYTES: limit(50 * MiB, "bytes of all documents of a project, free plan", PLANS),
  PRO_DOCUMENT_BYTES: limit(5120 * MiB, "bytes of all documents of a project, pro plan", PLANS),
  FREE_PROJECTS_MAX: limit(3, "projects of an account, free plan", OURS),
  PRO_PROJECTS_MAX: limit(50, "projects of an account, pro plan", OURS),
  PROJECTS_PER_HOUR: limit(10, "projects an account creates within an hour", OURS),
  REQUEST_MINUTES: limit(60, "minutes of which a project's requests are told one by one", "owners"),
  REQUEST_DAYS: limit(30, "days of which they are told in sum", "owners"),
  PROJECT_TRASH_DAYS: limit(7, "days a deleted project can be restored", "owners"),
  PROJECT_NAME_LENGTH_MAX: limit(100, "characters of a project's name", OURS),
  ALLOWED_ORIGINS_MAX: limit(20, "allowed origins of a project", OURS),
  INVITATION_DAYS: limit(7, "days in which an invitation can be accepted", OWNERS),
  PENDING_INVITATIONS_MAX: limit(50, "open invitations of a project", OURS),
  FREE_COLLECTIONS_MAX: limit(20, "collections of a project, free plan", OURS),
  PRO_COLLECTIONS_MAX: limit(200, "collections of a project, pro plan", OURS),
  FREE_AI_QUERIES: limit(5, "query builder requests a month, free plan", INTERFACE),
  PRO_AI_QUERIES: limit(20, "query builder requests a month, pro plan", INTERFACE),
  FREE_AI_TURNS: limit(20, "turns with the collection creator a month, free plan", OURS),
  PRO_AI_TURNS: limit(100, "turns with the collection creator a month, pro plan", OURS),
  AI_REQUESTS_PER_MINUTE: limit(10, "AI requests of an account, whichever key they go with", OURS),
  FREE_AI_DESIGNS: limit(1, "collection designs a month, free plan", INTERFACE),
  PRO_AI_DESIGNS: limit(5, "collection designs a month, pro plan", INTERFACE),
  FREE_FILES_MAX: limit(100_000, "files and open uploads of a project, free plan", OURS),
  PRO_FILES_MAX: limit(10_000_000, "files and open uploads of a project, pro plan", OURS),
  FREE_OPEN_UPLOADS_MAX: limit(1_000, "uploads of a project not confirmed yet, free plan", OURS),
  PRO_OPEN_UPLOADS_MAX: limit(10_000, "uploads of a project not confirmed yet, pro plan", OURS),
  EXTERNAL_FILE_BYTES_MAX: limit(5120 * MiB, "bytes of a file in a project's own bucket", FILES),
  FILENAME_LENGTH_MAX: limit(255, "characters of a `filename`", FILES),
  STORED_FILENAME_LENGTH_MAX: limit(100, "characters of it that its path keeps", FILES),
  CONTENT_TYPE_LENGTH_MAX: limit(100, "characters of a `contentType`", FILES),
  UPLOAD_URL_MINUTES: limit(10, "minutes in which a PUT to a signed URL begins", FILES),
  UPLOAD_HOLD_MINUTES: limit(20, "minutes between request and confirm of an upload", FILES),
  UPLOAD_STALL_SECONDS: limit(
    30,
    "seconds an upload may bring nothing; it ends with its hold",
    OURS,
  ),
  UPLOADS_AT_ONCE_MAX: limit(4, "uploads to one signed URL at once, in a process", OURS),
  RANGES_MAX: limit(50, "ranges of one request for a file", OURS),
  CONFIRM_CLAIM_SECONDS: limit(60, "seconds after which a confirm that died is given up", FILES),
  ACCOUNT_SESSION_DAYS: limit(7, "days of a dashboard session without use", OWNERS),
  AI_KEY_LENGTH_MAX: limit(200, "characters of an AI key", INTERFACE),
  AI_TURNS_MAX: limit(20, "turns of a chat with the collection creator, platform key", INTERFACE),
  AI_CHAT_MINUTES: limit(120, "minutes a chat is kept after its last message", OWNERS),
  AI_CHAT_MESSAGES_MAX: limit(50, "messages of a chat; the oldest are dropped", OWNERS),
  AI_CHAT_MESSAGE_LENGTH_MAX: limit(2000, "characters of a `userMessage`", OWNERS),
  AI_PROMPT_LENGTH_MAX: limit(1000, "characters of a query builder's `prompt`", OWNERS),
  AI_PREVIEW_ROWS: limit(5, "rows of a preview", OWNERS),
  AI_TIMEOUT_SECONDS: limit(30, "seconds an AI provider may take in all per request", OWNERS),
  AI_ANSWER_TOKENS_MAX: limit(8192, "tokens of an AI answer", OURS),
  AI_ANSWER_BYTES_MAX: limit(1 * MiB, "bytes that an AI provider may send", OURS),
  AI_PROPOSED_COLLECTIONS_MAX: limit(20, "collections of one proposal", OURS),
  DASHBOARD_SIGN_IN_RATE_PER_MINUTE: limit(20, "dashboard sign-ins per address", EVERYWHERE),
  PASSWORD_LENGTH_MIN: limit(8, "characters of an account's password", "accounts"),
  PASSWORD_LENGTH_MAX: limit(200, "characters of an account's password", "accounts"),
  PASSWORD_TRIES_MAX: limit(
    5,
    "wrong passwords for an account from one place, without a wait",
    OURS,
  ),
  PASSWORD_QUEUE_PER_ADDRESS_MAX: limit(
    10,
    "requests of a network that wait for a password to be hashed, in a process",
    OURS,
  ),
  PASSWORD_QUEUE_MAX: limit(100, "such requests in all", OURS),
  PASSWORD_WAIT_SECONDS: limit(60, "seconds before the next; twice as many each time", OURS),
  PASSWORD_WAIT_MINUTES_MAX: limit(15, "minutes of such a wait", OURS),
  PASSWORD_TRIES_MINUTES: limit(60, "minutes after which wrong passwords are forgotten", OURS),
  SIGN_IN_FAILURES_MAX: limit(
    50,
    "wrong passwords for an account from everywhere, before new places wait too",
    OURS,
  ),
  KNOWN_DEVICE_DAYS: limit(365, "days a browser is known to have been signed in", OURS),
} as const;

type Values = { readonly [K in keyof typeof LIMITS]: (typeof LIMITS)[K]["value"] };

const values = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { value }]) => [name, value]),
) as unknown as Values; // Object.fromEntries forgets which key has which value.

export const {
  AI_ANSWER_BYTES_MAX,
  AI_ANSWER_TOKENS_MAX,
  AI_CHAT_MESSAGE_LENGTH_MAX,
  AI_CHAT_MESSAGES_MAX,
  AI_KEY_LENGTH_MAX,
  AI_PREVIEW_ROWS,
  AI_PROMPT_LENGTH_MAX,
  AI_PROPOSED_COLLECTIONS_MAX,
  AI_REQUESTS_PER_MINUTE,
  AI_TURNS_MAX,
  ALLOWED_ORIGINS_MAX,
  ANSWER_BYTES_MAX,
  ANSWER_READ_BYTES_MAX,
  AVATAR_URL_LENGTH_MAX,
  BODIES_BYTES_MAX,
  BODIES_SHARE_BYTES_MAX,
  BODY_BYTES_MAX,
  BODY_MEMBERS_MAX,
  BODY_VALUES_MAX,
  BULK_BODY_BYTES_MAX,
  BULK_DOCUMENTS_MAX,
  COLUMNS_MAX,
  CONTENT_TYPE_LENGTH_MAX,
  CURSOR_LENGTH_MAX,
  DASHBOARD_SIGN_IN_RATE_PER_MINUTE,
  DEFAULTS_BYTES_MAX,
  DEFINITION_DEPTH_MAX,
  DEFINITION_FIELDS_MAX,
  DEFINITION_FORM_FIELDS_MAX,
  DEFINITION_LENGTH_MAX,
  DEFINITION_VALUES_MAX,
  DEVICE_NAME_LENGTH_MAX,
  DOCUMENT_BYTES_MAX,
  DOCUMENT_DEPTH_MAX,
  DOCUMENT_MEMBERS_MAX,
  EMAIL_SEARCH_LENGTH_MAX,
  EXTERNAL_FILE_BYTES_MAX,
  FIELDS_MAX,
  FILENAME_LENGTH_MAX,
  FREE_AI_DESIGNS,
  FREE_AI_QUERIES,
  FREE_AI_TURNS,
  FREE_COLLECTIONS_MAX,
  FORM_BYTES_MAX,
  FORM_FIELDS_MAX,
  FORM_TEXT_LENGTH_MAX,
  FREE_DOCUMENT_BYTES,
  FREE_FILE_BYTES_MAX,
  FREE_FILES_MAX,
  FREE_OPEN_UPLOADS_MAX,
  FREE_PROJECTS_MAX,
  FREE_STORAGE_BYTES,
  GRID_ROWS_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_CELLS_MAX,
  IMPORT_ROWS_MAX,
  INDEXES_MAX,
  INDEX_FIELDS_MAX,
  IN_VALUES_MAX,
  KEPT_ANSWERS_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  NAME_LENGTH_MAX,
  PAGE_DEFAULT,
  PATTERNS_MAX,
  PATTERN_SIZE_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PASSWORD_QUEUE_MAX,
  PASSWORD_QUEUE_PER_ADDRESS_MAX,
  PASSWORD_TRIES_MAX,
  PATH_LENGTH_MAX,
  PATH_LEVELS_MAX,
  PENDING_INVITATIONS_MAX,
  PERSON_NAME_LENGTH_MAX,
  POPULATE_FIELDS_MAX,
  PROJECT_NAME_LENGTH_MAX,
  PROJECT_TRASH_DAYS,
  PROJECTS_PER_HOUR,
  PROVIDER_ANSWER_BYTES_MAX,
  PRO_AI_DESIGNS,
  PRO_AI_QUERIES,
  PRO_AI_TURNS,
  PRO_COLLECTIONS_MAX,
  PRO_DOCUMENT_BYTES,
  PRO_FILE_BYTES_MAX,
  PRO_FILES_MAX,
  PRO_OPEN_UPLOADS_MAX,
  PRO_PROJECTS_MAX,
  PRO_STORAGE_BYTES,
  QUERY_LENGTH_MAX,
  QUERY_PARAMETERS_MAX,
  RANGES_MAX,
  RATE_PER_MINUTE,
  REFRESH_REPLAYS_MAX,
  REGEX_LENGTH_MAX,
  REQUESTS_AT_ONCE_MAX,
  REQUESTS_SHARE_MAX,
  REQUEST_DAYS,
  REQUEST_MINUTES,
  RETURN_TO_LENGTH_MAX,
  SIGN_IN_FAILURES_MAX,
  SIGN_IN_RATE_PER_MINUTE,
  SMALL_BODY_BYTES_MAX,
  SORT_KEYS_MAX,
  STATE_LENGTH_MAX,
  STORED_FILENAME_LENGTH_MAX,
  UPLOADS_AT_ONCE_MAX,
  USERNAME_LENGTH_MAX,
  WHERE_BYTES_MAX,
  WHERE_CONDITIONS_MAX,
  WHERE_DEPTH_MAX,
} = values;

export const REQUEST_TIMEOUT_MS = values.REQUEST_TIMEOUT_SECONDS * 1000;
export const SHUTDOWN_MS = values.SHUTDOWN_SECONDS * 1000;
export const IDEMPOTENCY_MS = values.IDEMPOTENCY_HOURS * 3_600_000;
export const TRASH_MS = values.TRASH_DAYS * 86_400_000;
export const ACCESS_TOKEN_SECONDS = values.ACCESS_TOKEN_MINUTES * 60;
export const SIGN_IN_MS = values.SIGN_IN_MINUTES * 60_000;
export const PROVIDER_TIMEOUT_MS = values.PROVIDER_TIMEOUT_SECONDS * 1000;
export const UPLOAD_URL_MS = values.UPLOAD_URL_MINUTES * 60_000;
export const UPLOAD_HOLD_MS = values.UPLOAD_HOLD_MINUTES * 60_000;
export const UPLOAD_STALL_MS = values.UPLOAD_STALL_SECONDS * 1000;
export const CONFIRM_CLAIM_MS = values.CONFIRM_CLAIM_SECONDS * 1000;
export const PROJECT_TRASH_MS = values.PROJECT_TRASH_DAYS * 86_400_000;
export const INVITATION_MS = values.INVITATION_DAYS * 86_400_000;
export const ACCOUNT_SESSION_MS = values.ACCOUNT_SESSION_DAYS * 86_400_000;
export const AI_CHAT_MS = values.AI_CHAT_MINUTES * 60_000;
export const AI_TIMEOUT_MS = values.AI_TIMEOUT_SECONDS * 1000;
export const PASSWORD_WAIT_MS = values.PASSWORD_WAIT_SECONDS * 1000;
export const PASSWORD_WAIT_MS_MAX = values.PASSWORD_WAIT_MINUTES_MAX * 60_000;
export const PASSWORD_TRIES_MEMORY_MS = values.PASSWORD_TRIES_MINUTES * 60_000;
export const KNOWN_DEVICE_SECONDS = values.KNOWN_DEVICE_DAYS * 86_400;
export const SESSION_MS = values.SESSION_DAYS * 86_400_000;
export const SESSION_MS_MAX = values.SESSION_DAYS_MAX * 86_400_000;
export const REFRESH_GRACE_MS = values.REFRESH_GRACE_SECONDS * 1000;
export const EXCHANGE_CODE_MS = values.EXCHANGE_CODE_SECONDS * 1000;

/** Entries are re-read after this long: of the five seconds it leaves two for a slow request. */
export const CACHE_MS = (values.CACHE_STALE_SECONDS - 2) * 1000;
