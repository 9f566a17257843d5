/** Limits of documents, collections, queries and requests. */

import {
  definitions,
  design,
  documents,
  events,
  everywhere,
  files,
  lists,
  MiB,
  ours,
} from "./limit_list.ts";

export const PAGE_DEFAULT = lists(1, "page");
export const LIST_LIMIT_DEFAULT = lists(100, "documents");
export const LIST_LIMIT_MAX = lists(1000, "documents");
export const BULK_DOCUMENTS_MAX = documents(100, "documents");
export const BATCH_OPERATIONS_MAX = documents(100, "operations of a batch");
export const BATCH_ANSWER_BYTES_MAX = ours(8 * MiB, "bytes of the documents that a batch answers");
export const ANSWER_BYTES_MAX = documents(16 * MiB, "bytes of the documents that one answer shows");
export const ANSWER_READ_BYTES_MAX = ours(
  128 * MiB,
  "bytes of the documents that are read for one answer, where it shows parts of them",
);
export const DOCUMENT_BYTES_MAX = documents(1 * MiB, "bytes of JSON text");
export const DOCUMENT_DEPTH_MAX = documents(20, "levels");
export const DOCUMENT_MEMBERS_MAX = ours(
  20_000,
  "members of a document, those of objects in it included",
);
export const NAME_LENGTH_MAX = documents(64, "characters of a collection or declared field name");
export const DEFINITION_DEPTH_MAX = definitions(3, "levels of nested fields");
export const DEFINITION_FIELDS_MAX = ours(200, "fields of a definition, nested ones included");
export const QUERY_LENGTH_MAX = ours(
  32_768,
  "characters of a query as it is sent, of any operation",
);
export const QUERY_PARAMETERS_MAX = ours(100, "parameters of a query, of any operation");
export const PATH_LEVELS_MAX = ours(20, "levels of a dotted path");
export const PATH_LENGTH_MAX = ours(300, "characters of a dotted path");
export const FIELDS_MAX = ours(200, "different names in `fields`");
export const CURSOR_LENGTH_MAX = ours(2048, "characters of a cursor");
export const INDEXES_MAX = definitions(10, "entries of `indexes`");
export const INDEX_FIELDS_MAX = definitions(4, "fields of one of them");
export const INDEXED_ELEMENTS_MAX = ours(1000, "elements of an Array that has an index");
export const DEFINITION_LENGTH_MAX = ours(65_536, "characters of a definition's JSON text");
export const DEFAULTS_BYTES_MAX = ours(
  1 * MiB,
  "bytes that defaults add to what one request sends",
);
export const DEFINITION_VALUES_MAX = ours(5000, "JSON values that a definition is made of");
export const CHANGES_HOURS = events(24, "hours that changes of documents are kept");
export const CHANGES_MS = CHANGES_HOURS * 3_600_000;
export const CHANGES_MAX = events(100_000, "changes of a project that are kept");
export const CHANGES_BYTES_MAX = ours(
  64 * MiB,
  "bytes of documents that a project's changes older than ten minutes hold, before and after",
);
export const CHANGES_YOUNG_BYTES_MAX = ours(256 * MiB, "bytes of those of all its changes");
export const LIVE_STREAMS_MAX = events(1000, "live lists of a project that a process has open");
export const LIVE_STREAMS_SHARE_MAX = events(20, "of those of one user, or one address and key");
export const LIVE_BEHIND_BYTES_MAX = events(
  1 * MiB,
  "bytes that a live list's reader may be behind",
);
export const LIVE_TICKET_SECONDS = events(60, "seconds for which a ticket opens a live list, once");
export const REGEX_LENGTH_MAX = documents(128, "characters");
export const LITERAL_LENGTH_MAX = ours(
  128,
  "characters that `_contains` and `_startswith` look for",
);
export const SEARCH_FIELDS_MAX = ours(10, "fields with `search` in a definition");
export const SEARCH_LENGTH_MAX = documents(128, "characters of `search`");
export const SEARCH_WORDS_MAX = documents(8, "words of `search`");
export const SEARCHED_LENGTH_MAX = ours(
  65_536,
  "characters of a document's search fields that are read, from the beginning",
);
export const SEARCHED_WORDS_MAX = ours(2000, "different words that are kept of them");
export const WORD_LENGTH_MAX = ours(
  64,
  "characters of a word that count, of a document or a search",
);
export const PATTERN_SIZE_MAX = ours(300, "instructions that a pattern compiles to");
export const PATTERNS_MAX = ours(10, "patterns in one query");
export const WHERE_BYTES_MAX = documents(4096, "bytes");
export const WHERE_DEPTH_MAX = documents(5, "levels");
export const WHERE_CONDITIONS_MAX = documents(50, "conditions");
export const IN_VALUES_MAX = ours(1000, "values of one `_in` or `_nin`");
export const SORT_KEYS_MAX = ours(8, "fields");
export const POPULATE_PATHS_MAX = documents(10, "paths in `populate`");
export const TYPED_COLLECTIONS_MAX = ours(50, "names in `collections` of a project's types");
export const PICTURE_BYTES_MAX = files(25 * MiB, "bytes of a picture that has sizes");
export const PICTURE_PIXELS_MAX = files(50_000_000, "pixels of a picture that has sizes");
export const PICTURE_MEMORY_BYTES = ours(
  200_000_000,
  "bytes of memory that reading a picture may take",
);
export const PICTURE_SECONDS = ours(5, "seconds that it may take to make a size of a picture");
export const PICTURES_WAITING_MAX = ours(100, "sizes that wait to be made, in a process");
export const PICTURES_WAITING_SHARE_MAX = ours(
  20,
  "those of one project, or for one client, among them",
);
export const DERIVED_MAX = ours(10_000, "sizes of pictures that are kept of a project");
export const ENUM_VALUES_MAX = ours(100, "values of a field's `enum`");
export const ENUM_VALUE_LENGTH_MAX = ours(100, "characters of one of them");
export const DOCUMENT_FILES_MAX = ours(
  100,
  "paths of files that a document holds in `file` fields",
);
export const POPULATED_FILES_MAX = ours(1000, "files that `populate` shows in one answer");
export const POPULATE_LEVELS_MAX = documents(3, "references that one path of `populate` follows");
export const REFERRERS_MAX = documents(100, "documents that `populate` shows of those behind one");
export const GROUP_FIELDS_MAX = documents(3, "fields in `group`");
export const GROUPS_DEFAULT = ours(100, "groups");
export const GROUPS_MAX = documents(1000, "groups");
export const FIGURES_MAX = ours(20, "fields in `sum`, `avg`, `min` and `max` together");
export const IDEMPOTENCY_KEY_LENGTH_MAX = documents(128, "characters");
export const KEPT_ANSWERS_MAX = ours(10_000, "answers that a project keeps for `Idempotency-Key`");
export const IDEMPOTENCY_HOURS = documents(24, "hours");
export const IDEMPOTENCY_MS = IDEMPOTENCY_HOURS * 3_600_000;
export const TRASH_DAYS = documents(30, "days");
export const TRASH_MS = TRASH_DAYS * 86_400_000;
export const BODY_BYTES_MAX = ours(
  1 * MiB + 65_536,
  "bytes of a JSON body (1 MiB and a margin)",
);
export const BODY_MEMBERS_MAX = ours(50_000, "members of all objects in a JSON body");
export const BODY_VALUES_MAX = ours(
  500_000,
  "values in a JSON body; an object or a list counts as five",
);
export const SMALL_BODY_BYTES_MAX = ours(65_536, "bytes of a body that holds no document");
export const BULK_BODY_BYTES_MAX = documents(8 * MiB, "bytes of a bulk body");
export const BODIES_BYTES_MAX = ours(256 * MiB, "bytes of all bodies that a process holds at once");
export const BODIES_SHARE_BYTES_MAX = ours(64 * MiB, "bytes of those of one project or address");
export const ANSWERS_BYTES_MAX = ours(
  128 * MiB,
  "bytes of all answers above 400 KiB that a process holds until they are read",
);
export const ANSWERS_SHARE_BYTES_MAX = ours(
  64 * MiB,
  "bytes of those of one project or address, or of one address with a publishable key",
);
export const ANSWER_STALL_SECONDS = ours(
  30,
  "seconds in which an answer's reader must take something, or the connection is closed",
);
export const ANSWER_STALL_MS = ANSWER_STALL_SECONDS * 1000;
export const FORM_BYTES_MAX = ours(4 * MiB, "bytes of a form of the dashboard");
export const FORM_TEXT_LENGTH_MAX = ours(
  1 * MiB + 262_144,
  "characters of its fields, decoded",
);
export const FORM_FIELDS_MAX = ours(1000, "fields of a form of the dashboard");
export const DEFINITION_FORM_FIELDS_MAX = ours(2000, "fields of the one that defines a collection");
export const COLUMNS_MAX = ours(500, "columns of a grid, an import or a CSV export");
export const GRID_ROWS_MAX = ours(100, "rows of a page of documents in the dashboard");
export const BULK_STEP_DOCUMENTS = ours(
  100,
  "of all matching documents that one request changes there",
);
export const VIEWS_MAX = ours(50, "views of a collection");
export const VIEW_NAME_LENGTH_MAX = ours(60, "characters of a view's name");
export const VIEW_QUERY_LENGTH_MAX = ours(4096, "characters of a view's query");
export const VIEW_COLUMNS_MAX = ours(50, "columns of a view");
export const IMPORT_BYTES_MAX = ours(1 * MiB, "bytes of a file that is imported");
export const IMPORT_BODY_BYTES_MAX = ours(4 * MiB, "bytes of a JSON body that holds such a file");
export const IMPORT_ROWS_MAX = ours(5000, "rows of an import");
export const IMPORT_CELLS_MAX = ours(60_000, "cells of an import, or values of its JSON");
export const REQUESTS_AT_ONCE_MAX = ours(
  4000,
  "requests that a process works on at once, streams included",
);
export const REQUESTS_SHARE_MAX = ours(2000, "of those of one project or address");
export const CONNECTIONS_MAX = ours(
  4096,
  "connections to a process at once, or half of its file descriptors",
);
export const FIRST_REQUEST_SECONDS = ours(
  30,
  "seconds until a connection has sent a request's headers",
);
export const FIRST_REQUEST_MS = FIRST_REQUEST_SECONDS * 1000;
export const IDLE_CONNECTION_SECONDS = ours(
  150,
  "seconds a connection is kept after its last answer",
);
export const IDLE_CONNECTION_MS = IDLE_CONNECTION_SECONDS * 1000;
export const REQUEST_TIMEOUT_SECONDS = design(30, "seconds, for the body and for the handler each");
export const REQUEST_TIMEOUT_MS = REQUEST_TIMEOUT_SECONDS * 1000;
export const SHUTDOWN_SECONDS = design(10, "seconds to finish what is in flight");
export const SHUTDOWN_MS = SHUTDOWN_SECONDS * 1000;
export const RATE_PER_MINUTE = everywhere(1000, "requests per publishable key and address");
export const CACHE_STALE_SECONDS = design(5, "seconds a change may go unseen by another process");
/** Entries are re-read after this long: of the five seconds it leaves two for a slow request. */
export const CACHE_MS = (CACHE_STALE_SECONDS - 2) * 1000;
export const SIGN_IN_RATE_PER_MINUTE = everywhere(60, "sign-ins and refreshes per key and address");
