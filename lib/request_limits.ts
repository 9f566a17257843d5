/** Limits of documents, collections, queries and requests. */

import {
  commonRule,
  decided,
  definitionRule,
  designed,
  documentRule,
  eventRule,
  fileRule,
  MiB,
  specified,
} from "./limit_list.ts";

export const PAGE_DEFAULT = specified(1, "page");
export const LIST_LIMIT_DEFAULT = specified(100, "documents");
export const LIST_LIMIT_MAX = specified(1000, "documents");
export const BULK_DOCUMENTS_MAX = documentRule(100, "documents");
export const BATCH_OPERATIONS_MAX = documentRule(100, "operations of a batch");
export const BATCH_ANSWER_BYTES_MAX = decided(
  8 * MiB,
  "bytes of documents in an answer to a batch",
);
export const ANSWER_BYTES_MAX = documentRule(16 * MiB, "bytes of the documents in an answer");
export const ANSWER_READ_BYTES_MAX = decided(
  128 * MiB,
  "bytes of the documents that are read for one answer, where it shows parts of them",
);
export const DOCUMENT_BYTES_MAX = documentRule(1 * MiB, "bytes of JSON text");
export const DOCUMENT_DEPTH_MAX = documentRule(20, "levels");
export const DOCUMENT_MEMBERS_MAX = decided(20_000, "members of a document, including nested ones");
export const NAME_LENGTH_MAX = documentRule(
  64,
  "characters of a collection or declared field name",
);
export const DEFINITION_DEPTH_MAX = definitionRule(3, "levels of nested fields");
export const DEFINITION_FIELDS_MAX = decided(200, "fields of a definition, including nested ones");
export const QUERY_LENGTH_MAX = decided(32_768, "characters of an encoded query of any operation");
export const QUERY_PARAMETERS_MAX = decided(100, "parameters of a query, of any operation");
export const PATH_LEVELS_MAX = decided(20, "levels of a dotted path");
export const PATH_LENGTH_MAX = decided(300, "characters of a dotted path");
export const FIELDS_MAX = decided(200, "different names in `fields`");
export const CURSOR_LENGTH_MAX = decided(2048, "characters of a cursor");
export const INDEXES_MAX = definitionRule(10, "entries of `indexes`");
export const INDEX_FIELDS_MAX = definitionRule(4, "fields of an entry of `indexes`");
export const INDEXED_ELEMENTS_MAX = decided(1000, "elements of an Array that has an index");
export const DEFINITION_LENGTH_MAX = decided(65_536, "characters of a definition's JSON text");
export const DEFAULTS_BYTES_MAX = decided(1 * MiB, "bytes that defaults add to a request");
export const DEFINITION_VALUES_MAX = decided(5000, "JSON values of a definition");
export const CHANGES_HOURS = eventRule(24, "hours for which changes of documents are stored");
export const CHANGES_MS = CHANGES_HOURS * 3_600_000;
export const CHANGES_MAX = eventRule(100_000, "changes of a project that are stored");
export const CHANGES_BYTES_MAX = decided(
  64 * MiB,
  "bytes of documents in a project's changes that are older than ten minutes",
);
export const CHANGES_YOUNG_BYTES_MAX = decided(
  256 * MiB,
  "bytes of documents in a project's changes",
);
export const LIVE_STREAMS_MAX = eventRule(1000, "open live lists of a project in a process");
export const LIVE_STREAMS_SHARE_MAX = eventRule(
  20,
  "open live lists of a user, or of an address and key, in a process",
);
export const LIVE_BEHIND_BYTES_MAX = eventRule(1 * MiB, "bytes that a live list may be behind");
export const LIVE_TICKET_SECONDS = eventRule(60, "seconds in which a ticket is valid, once");
export const REGEX_LENGTH_MAX = documentRule(128, "characters");
export const LITERAL_LENGTH_MAX = decided(128, "characters for `_contains` and `_startswith`");
export const SEARCH_FIELDS_MAX = decided(10, "fields with `search` in a definition");
export const SEARCH_LENGTH_MAX = documentRule(128, "characters of `search`");
export const SEARCH_WORDS_MAX = documentRule(8, "words of `search`");
export const SEARCHED_LENGTH_MAX = decided(
  65_536,
  "characters of a document's search fields that are read, from the beginning",
);
export const SEARCHED_WORDS_MAX = decided(2000, "different indexed words of a document");
export const WORD_LENGTH_MAX = decided(64, "compared characters of a word of search");
export const PATTERN_SIZE_MAX = decided(300, "instructions that a pattern compiles to");
export const PATTERNS_MAX = decided(10, "patterns in one query");
export const WHERE_BYTES_MAX = documentRule(4096, "bytes");
export const WHERE_DEPTH_MAX = documentRule(5, "levels");
export const WHERE_CONDITIONS_MAX = documentRule(50, "conditions");
export const IN_VALUES_MAX = decided(1000, "values of one `_in` or `_nin`");
export const SORT_KEYS_MAX = decided(8, "fields");
export const POPULATE_PATHS_MAX = documentRule(10, "paths in `populate`");
export const TYPED_COLLECTIONS_MAX = decided(50, "names in `collections` of a project's types");
export const PICTURE_BYTES_MAX = fileRule(25 * MiB, "bytes of a picture that has sizes");
export const PICTURE_PIXELS_MAX = fileRule(50_000_000, "pixels of a picture that has sizes");
export const PICTURE_MEMORY_BYTES = decided(200_000_000, "bytes of memory for reading a picture");
export const PICTURE_SECONDS = decided(5, "seconds for creating a size of a picture");
export const PICTURES_WAITING_MAX = decided(100, "queued sizes of pictures in a process");
export const PICTURES_WAITING_SHARE_MAX = decided(20, "queued sizes for one project or client");
export const DERIVED_MAX = decided(10_000, "stored sizes of pictures of a project");
export const ENUM_VALUES_MAX = decided(100, "values of a field's `enum`");
export const ENUM_VALUE_LENGTH_MAX = decided(100, "characters of a variable of a mail");
export const DOCUMENT_FILES_MAX = decided(100, "paths of files in `file` fields of a document");
export const POPULATED_FILES_MAX = decided(1000, "files that `populate` shows in one answer");
export const POPULATE_LEVELS_MAX = documentRule(
  3,
  "references that one path of `populate` follows",
);
export const REFERRERS_MAX = documentRule(100, "referring documents that `populate` shows");
export const GROUP_FIELDS_MAX = documentRule(3, "fields in `group`");
export const GROUPS_DEFAULT = decided(100, "groups");
export const GROUPS_MAX = documentRule(1000, "groups");
export const FIGURES_MAX = decided(20, "fields in `sum`, `avg`, `min` and `max` together");
export const IDEMPOTENCY_KEY_LENGTH_MAX = documentRule(128, "characters");
export const KEPT_ANSWERS_MAX = decided(10_000, "stored answers for `Idempotency-Key`");
export const IDEMPOTENCY_HOURS = documentRule(24, "hours");
export const IDEMPOTENCY_MS = IDEMPOTENCY_HOURS * 3_600_000;
export const TRASH_DAYS = documentRule(30, "days");
export const TRASH_MS = TRASH_DAYS * 86_400_000;
export const BODY_BYTES_MAX = decided(
  1 * MiB + 65_536,
  "bytes of a JSON body (1 MiB and a margin)",
);
export const BODY_MEMBERS_MAX = decided(50_000, "members of all objects in a JSON body");
export const BODY_VALUES_MAX = decided(500_000, "values in a JSON body; an object or list is five");
export const SMALL_BODY_BYTES_MAX = decided(65_536, "bytes of a body without documents");
export const BULK_BODY_BYTES_MAX = documentRule(8 * MiB, "bytes of a bulk body");
export const BODIES_BYTES_MAX = decided(256 * MiB, "bytes of all bodies in a process");
export const BODIES_SHARE_BYTES_MAX = decided(
  64 * MiB,
  "bytes of the bodies of one project or address",
);
export const ANSWERS_BYTES_MAX = decided(
  128 * MiB,
  "bytes of all answers above 400 KiB in a process",
);
export const ANSWERS_SHARE_BYTES_MAX = decided(
  64 * MiB,
  "bytes of large answers of one project or address, or of one address with a publishable key",
);
export const ANSWER_STALL_SECONDS = decided(
  30,
  "seconds without a read until a connection is closed",
);
export const ANSWER_STALL_MS = ANSWER_STALL_SECONDS * 1000;
export const FORM_BYTES_MAX = decided(4 * MiB, "bytes of a form of the dashboard");
export const FORM_TEXT_LENGTH_MAX = decided(
  1 * MiB + 262_144,
  "decoded characters of a dashboard form",
);
export const FORM_FIELDS_MAX = decided(1000, "fields of a form of the dashboard");
export const DEFINITION_FORM_FIELDS_MAX = decided(2000, "fields of a form with a definition");
export const COLUMNS_MAX = decided(500, "columns of a grid, an import or a CSV export");
export const GRID_ROWS_MAX = decided(100, "rows of a page of documents in the dashboard");
export const BULK_STEP_DOCUMENTS = decided(100, "documents that a bulk change changes at once");
export const VIEWS_MAX = decided(50, "views of a collection");
export const VIEW_NAME_LENGTH_MAX = decided(60, "characters of a view's name");
export const VIEW_QUERY_LENGTH_MAX = decided(4096, "characters of a view's query");
export const VIEW_COLUMNS_MAX = decided(50, "columns of a view");
export const IMPORT_BYTES_MAX = decided(1 * MiB, "bytes of an imported file");
export const IMPORT_BODY_BYTES_MAX = decided(4 * MiB, "bytes of a JSON body with an imported file");
export const IMPORT_ROWS_MAX = decided(5000, "rows of an import");
export const IMPORT_CELLS_MAX = decided(60_000, "cells of an import, or values of its JSON");
export const REQUESTS_AT_ONCE_MAX = decided(4000, "concurrent requests, including streams");
export const REQUESTS_SHARE_MAX = decided(2000, "concurrent requests of one project or address");
export const CONNECTIONS_MAX = decided(4096, "connections, or half of the file descriptors");
export const FIRST_REQUEST_SECONDS = decided(30, "seconds in which request headers must arrive");
export const FIRST_REQUEST_MS = FIRST_REQUEST_SECONDS * 1000;
export const IDLE_CONNECTION_SECONDS = decided(150, "seconds until an idle connection is closed");
export const IDLE_CONNECTION_MS = IDLE_CONNECTION_SECONDS * 1000;
export const REQUEST_TIMEOUT_SECONDS = designed(30, "seconds each for the body and the handler");
export const REQUEST_TIMEOUT_MS = REQUEST_TIMEOUT_SECONDS * 1000;
export const SHUTDOWN_SECONDS = designed(10, "seconds for a stop of the server");
export const SHUTDOWN_MS = SHUTDOWN_SECONDS * 1000;
export const RATE_PER_MINUTE = commonRule(1000, "requests per publishable key and address");
export const CACHE_STALE_SECONDS = designed(5, "seconds after which all processes see a change");
/** Entries are re-read after this long: of the five seconds it leaves two for a slow request. */
export const CACHE_MS = (CACHE_STALE_SECONDS - 2) * 1000;
export const SIGN_IN_RATE_PER_MINUTE = commonRule(60, "sign-ins and refreshes per key and address");
