import {
  FIELDS_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  PATTERNS_MAX,
  POPULATE_PATHS_MAX,
  SEARCH_LENGTH_MAX,
  SEARCH_WORDS_MAX,
  SORT_KEYS_MAX,
} from "../limits.ts";
import type { QueryWarning } from "../http/respond.ts";
import { Problem } from "../problems.ts";
import { isScalarType } from "../store/shape.ts";
import { and } from "../store/filter.ts";
import type { Filter, SortKey } from "../store/port.ts";
import { searchPathsOf } from "../store/search.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { ConditionReader, HINTS_MAX } from "./condition_reader.ts";
import { isDeclared, isJsonFilter, type Parameter, parseFilters } from "./filter_parameters.ts";
import { pathProblem, pathSizeProblem } from "./names.ts";
import { quoted, textProblem } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { wordsIn } from "../words.ts";
import { createProjection, type Projection } from "./projection.ts";
import { firstReference, parsePopulatePath, referenceAt } from "./populate_path.ts";
import { isReserved, OFFSET_NAMES, type RESERVED_PARAMETERS } from "./reserved_parameters.ts";
import { parseWhere } from "./where.ts";

/** Parameters that determine how documents are presented. */
export interface Presentation {
  readonly projection: Projection | null;
  readonly meta: boolean;
  readonly populate: readonly string[];
}

/** A parsed list query, before row-level security is added to its filter. */
export interface ListRequest extends Presentation {
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Null if it is left out. */
  readonly page: number | null;
  /** Alternative to a page; null if it is left out. */
  readonly offset: number | null;
  readonly countOnly: boolean;
  readonly total: "exact" | "none" | "estimate";
  readonly includeDeleted: boolean;
  readonly explain: boolean;
  /** Warnings about undeclared fields in conditions, and about likely typing errors in `fields`. */
  readonly warnings: readonly QueryWarning[];
}

type ReservedName = (typeof RESERVED_PARAMETERS)[number] | "offset";

const SINGLE_PARAMETERS: readonly ReservedName[] = [
  "fields",
  "populate",
  "expand",
  "meta",
  "include_deleted",
];

const invalid = (name: string, why: string, hint = "") =>
  new Problem("INVALID_QUERY", { message: `${quoted(name)} ${why}.${hint}` });

/** Parses a query string without the question mark and the cursor. Throws the query's problems. */
export function parseListQuery(collection: Collection, text: string): ListRequest {
  const { reserved, filters } = readParameters(collection, text);
  if (reserved.has("cursor")) throw invalid("cursor", "is given more than once");
  const { filter, warnings } = readConditions(collection, filters, {
    where: reserved.get("where"),
    search: reserved.get("search"),
  });
  if (reserved.has("page") && reserved.has("offset")) {
    throw invalid("offset", "cannot be used with page: leave one of them out");
  }
  return {
    ...parsePresentation(collection, reserved),
    filter,
    sort: parseSort(collection, reserved.get("sort")),
    limit: parseInteger("limit", reserved.get("limit"), LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX),
    page: reserved.has("page") ? parseInteger("page", reserved.get("page"), 1, PAGE_MAX) : null,
    offset: parseOffset(reserved.get("offset")),
    countOnly: parseFlag("count", reserved.get("count"), false),
    total: oneOf("total", reserved.get("total"), ["exact", "none", "estimate"]),
    includeDeleted: parseFlag("include_deleted", reserved.get("include_deleted"), false),
    explain: parseFlag("explain", reserved.get("explain"), false),
    warnings: [...warnings, ...fieldWarnings(collection, reserved.get("fields"))],
  };
}

export function readConditions(
  collection: Collection,
  parameters: readonly Parameter[],
  { where, search }: { where: string | undefined; search: string | undefined },
): { filter: Filter; warnings: readonly QueryWarning[] } {
  const [ofAll, ofWhere] = [
    new ConditionReader(collection),
    new ConditionReader(collection, '"where"'),
  ];
  const filter = and(
    ...parseFilters(ofAll, parameters),
    ...where === undefined ? [] : [parseWhere(ofWhere, where)],
    ...parseSearch(collection, search),
  );
  if (countPatterns(filter) > PATTERNS_MAX) {
    throw new Problem("INVALID_QUERY", {
      message: `The query has more than ${PATTERNS_MAX} patterns.`,
    });
  }
  return { filter, warnings: [...ofAll.warnings, ...ofWhere.warnings] };
}

function countPatterns(filter: Filter): number {
  if (filter.op === "not") return countPatterns(filter.of);
  if (filter.op !== "and" && filter.op !== "or") return filter.op === "regex" ? 1 : 0;
  return filter.of.reduce((sum, one) => sum + countPatterns(one), 0);
}

/** All pages share the rest. Several cursors stay in the rest, which is rejected later. */
export function splitCursor(text: string): { rest: string; cursor: string | null } {
  const at = text.indexOf("cursor");
  if (at === -1 && !text.includes("%")) return { rest: text, cursor: null };
  // The cursor usually does not need decoding.
  const isPlain = !/[%+]/.test(text) && at === text.lastIndexOf("cursor") &&
    text.startsWith(CURSOR, at) && (at === 0 || text[at - 1] === "&");
  if (!isPlain) return splitEncodedCursor(text);
  const end = text.indexOf("&", at);
  return end === -1
    ? { rest: text.slice(0, Math.max(at - 1, 0)), cursor: text.slice(at + CURSOR.length) }
    : {
      rest: text.slice(0, at) + text.slice(end + 1),
      cursor: text.slice(at + CURSOR.length, end),
    };
}

const CURSOR = "cursor=";

function splitEncodedCursor(text: string): { rest: string; cursor: string | null } {
  const parts = text.split("&");
  const cursors = parts.map(cursorParameter).filter((value) => value !== null);
  if (cursors.length !== 1) return { rest: text, cursor: null };
  const rest = parts.filter((part) => cursorParameter(part) === null).join("&");
  return { rest, cursor: cursors[0]! };
}

/** Returns null for other parameters. The name may be percent-encoded. */
const cursorParameter = (part: string): string | null =>
  /^[^=]*(?:cursor|%)/.test(part) ? new URLSearchParams(part).get("cursor") : null;

/** Throws `INVALID_QUERY`. */
export function parseDocumentQuery(
  collection: Collection,
  text: string,
): Presentation & { includeDeleted: boolean } {
  const reserved = new Map<ReservedName, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!isReserved(name) || !SINGLE_PARAMETERS.includes(name)) {
      throw invalid(
        name,
        `is not a parameter of single documents: use ${SINGLE_PARAMETERS.join(", ")}`,
        didYouMean(name, SINGLE_PARAMETERS),
      );
    }
    setOnce(reserved, name, value);
  }
  return {
    ...parsePresentation(collection, reserved),
    includeDeleted: parseFlag("include_deleted", reserved.get("include_deleted"), false),
  };
}

/** Page number whose offset is an exact number even with the largest limit. */
const PAGE_MAX = 1_000_000_000;
const OFFSET_MAX = 1_000_000_000;

function parseOffset(text: string | undefined): number | null {
  if (text === undefined) return null;
  const offset = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(offset <= OFFSET_MAX)) {
    throw invalid("offset", `must be a whole number from 0 to ${OFFSET_MAX}`);
  }
  return offset;
}

/** Avoids `URLSearchParams`, which is slow, if possible. */
function parseParameters(text: string): Iterable<Parameter> {
  if (/[%+?]/.test(text)) return new URLSearchParams(text);
  return text.split("&").filter((part) => part !== "").map((part) => {
    const at = part.indexOf("=");
    return at === -1 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
  });
}

function readParameters(collection: Collection, text: string) {
  const reserved = new Map<ReservedName, string>();
  const filters: Parameter[] = [];
  for (const [name, value] of parseParameters(text)) {
    if (isReserved(name)) setOnce(reserved, name, value);
    else if (isOffset(collection, name)) setOnce(reserved, "offset", value);
    else filters.push([name, value]);
  }
  return { reserved, filters };
}

export const isOffset = (collection: Collection, name: string): boolean =>
  OFFSET_NAMES.includes(name) && !isDeclared(collection, name);

/** Whether a parameter controls the list, and is not a condition on the field of its name. */
export const isListParameter = (collection: Collection, name: string): boolean =>
  isReserved(name) || isOffset(collection, name) || isJsonFilter(collection, name);

function setOnce(into: Map<ReservedName, string>, name: ReservedName, value: string): void {
  if (into.has(name)) throw invalid(name, "is given more than once");
  into.set(name, value);
}

const NEWEST_FIRST: readonly SortKey[] = [{ path: "createdAt", descending: true }];

function parseSort(collection: Collection, text: string | undefined): readonly SortKey[] {
  if (text === undefined) return NEWEST_FIRST;
  const terms = text.split(",", SORT_KEYS_MAX + 1);
  if (terms.length > SORT_KEYS_MAX) throw invalid("sort", `has more than ${SORT_KEYS_MAX} fields`);
  const keys = terms.map((term) => parseSortTerm(collection, term.trim()));
  if (new Set(keys.map((key) => key.path)).size < keys.length) {
    throw invalid("sort", "names a field twice");
  }
  return keys;
}

/** Splits a term of `sort`. Throws `INVALID_QUERY`. */
export function splitTerm(term: string): { readonly name: string; readonly descending: boolean } {
  const match = /^(-?)([^:]+)(?::(asc|desc))?$/.exec(term);
  const spaced = /^(\S+)\s+(asc|desc)$/i.exec(term);
  if (match === null || spaced !== null || (match[1] === "-" && match[3] !== undefined)) {
    const hint = spaced === null ? "" : ` Write ${spaced[1]}:${spaced[2]!.toLowerCase()}.`;
    throw invalid("sort", "must be a list of field, -field, field:asc or field:desc", hint);
  }
  return { name: match[2]!, descending: match[1] === "-" || match[3] === "desc" };
}

function parseSortTerm(collection: Collection, term: string): SortKey {
  const { name: path, descending } = splitTerm(term);
  const problem = pathSizeProblem(path);
  if (problem !== null) throw invalid("sort", `cannot sort by ${quoted(path)}: ${problem}`);
  if (!isSortable(collection, path)) {
    throw invalid(
      "sort",
      `cannot sort by ${quoted(path)}: only declared fields of one value, ` +
        "_id, createdAt, updatedAt and deletedAt can be sorted by",
      didYouMean(path, sortablePaths(collection)),
    );
  }
  return { path, descending };
}

function isSortable(collection: Collection, path: string): boolean {
  const declared = declaredAt(collection, path);
  return declared.kind === "declared" && isScalarType(declared.shape.type) && path !== "isDeleted";
}

const sortablePaths = (collection: Collection): string[] =>
  declaredPaths(collection).filter((path) => isSortable(collection, path));

function parsePresentation(
  collection: Collection,
  reserved: ReadonlyMap<ReservedName, string>,
): Presentation {
  return {
    projection: parseProjection(reserved.get("fields")),
    meta: parseFlag("meta", reserved.get("meta"), true),
    populate: parsePopulate(collection, reserved),
  };
}

function parseProjection(text: string | undefined): Projection | null {
  if (text === undefined) return null;
  const names = new Set(text.split(",").map((name) => name.trim()));
  if (names.size > FIELDS_MAX) throw invalid("fields", `has more than ${FIELDS_MAX} names`);
  const terms = [...names];
  const leftOut = terms.filter((name) => name.startsWith("-"));
  if (leftOut.length > 0 && leftOut.length < terms.length) {
    throw invalid("fields", "mixes fields to show and -fields to leave out: send one or the other");
  }
  const leavesOut = leftOut.length > 0;
  const paths = leavesOut ? terms.map((name) => name.slice(1)) : terms;
  for (const path of paths) {
    const problem = pathProblem(path);
    if (problem !== null) throw invalid("fields", `cannot be read: ${problem}`);
  }
  return createProjection(paths, leavesOut);
}

/** Warns only of names that resemble declared ones, because undeclared fields are allowed. */
function fieldWarnings(collection: Collection, text: string | undefined): QueryWarning[] {
  if (text === undefined) return [];
  const undeclared = text.split(",").map((name) => name.trim().replace(/^-/, ""))
    .filter((path) => declaredAt(collection, path).kind === "undeclared");
  if (undeclared.length === 0) return [];
  const known = declaredPaths(collection);
  return undeclared.slice(0, HINTS_MAX).flatMap((path) => {
    const hint = didYouMean(path, known);
    const message = `The collection does not declare ${quoted(path)}.${hint}`;
    return hint === "" ? [] : [{ parameter: "fields", message }];
  });
}

function parsePopulate(
  collection: Collection,
  reserved: ReadonlyMap<ReservedName, string>,
): readonly string[] {
  const texts = [reserved.get("populate"), reserved.get("expand")].filter((text) =>
    text !== undefined
  );
  if (texts.length === 0) return [];
  const name = reserved.has("populate") ? "populate" : "expand";
  const paths = [...new Set(texts.join(",").split(",").map((path) => path.trim()))];
  if (paths.length > POPULATE_PATHS_MAX) {
    throw invalid(name, `names more than ${POPULATE_PATHS_MAX} paths`);
  }
  for (const path of paths) {
    const problem = pathSizeProblem(path);
    if (problem !== null) throw invalid(name, `cannot follow ${quoted(path)}: ${problem}`);
    const steps = parsePopulatePath(path);
    if (steps === null) {
      throw invalid(
        name,
        `cannot follow ${quoted(path)}: write author, author.company or comments(postId)`,
      );
    }
    // The rest of the path is checked later, with the definitions of its targets.
    const { fields } = collection.definition;
    if (steps[0]!.by === null && firstReference(fields, steps) === null) {
      throw invalid(
        name,
        `cannot follow ${quoted(path)}: it is not declared as a Ref, nor as a file`,
        didYouMean(path, declaredPaths(collection).filter((one) => referenceAt(fields, one))),
      );
    }
  }
  return paths;
}

export function parseInteger(
  name: string,
  text: string | undefined,
  missing: number,
  max: number,
): number {
  if (text === undefined) return missing;
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  if (!(number <= max)) throw invalid(name, `must be a whole number from 1 to ${max}`);
  return number;
}

export const parseFlag = (name: string, text: string | undefined, missing: boolean): boolean =>
  text === undefined ? missing : oneOf(name, text.toLowerCase(), ["true", "false"]) === "true";

function oneOf<const C extends readonly string[]>(
  name: string,
  text: string | undefined,
  choices: C,
): C[number] {
  if (text === undefined) return choices[0]!;
  if (!choices.includes(text)) {
    throw invalid(name, `must be ${choices.join(" or ")}`, didYouMean(text, choices));
  }
  return text;
}

/** Throws `SEARCH_NOT_DECLARED` and `INVALID_QUERY`. */
function parseSearch(collection: Collection, text: string | undefined): Filter[] {
  if (text === undefined) return [];
  if (searchPathsOf(collection.records).length === 0) throw new Problem("SEARCH_NOT_DECLARED");
  if (text.length > SEARCH_LENGTH_MAX) {
    throw invalid("search", `is longer than ${SEARCH_LENGTH_MAX} characters`);
  }
  const problem = textProblem(text);
  if (problem !== null) throw invalid("search", problem);
  const words = wordsIn(text);
  if (words.length > SEARCH_WORDS_MAX) {
    throw invalid("search", `has more than ${SEARCH_WORDS_MAX} words`);
  }
  if (words.length === 0) {
    throw invalid("search", "has no word: send a letter or a digit, or leave it out");
  }
  return [{ op: "search", words: [...new Set(words)] }];
}
