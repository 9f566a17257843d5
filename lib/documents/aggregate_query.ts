import {
  FIGURES_MAX,
  GROUP_FIELDS_MAX,
  GROUPS_DEFAULT,
  GROUPS_MAX,
  SORT_KEYS_MAX,
} from "../limits.ts";
import type { QueryWarning } from "../http/respond.ts";
import { Problem } from "../problems.ts";
import type { Bucket, Figure, GroupKey, GroupSort } from "../store/aggregation.ts";
import { zoneName } from "../store/calendar.ts";
import type { Filter } from "../store/port.ts";
import { isScalarType, typesWithFigure } from "../store/shape.ts";
import { FIELD_TYPES, type ScalarType } from "../store/field_types.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { HINTS_MAX } from "./condition_reader.ts";
import { isDeclared, type Parameter } from "./filter_parameters.ts";
import { pathSizeProblem } from "./names.ts";
import { isOffset, parseFlag, parseInteger, readConditions, splitTerm } from "./query.ts";
import { isReserved } from "./reserved_parameters.ts";

/** A parsed aggregate query, before row-level security is added to its filter. */
export interface AggregateRequest {
  readonly filter: Filter;
  readonly keys: readonly GroupKey[];
  readonly figures: readonly Figure[];
  readonly sort: readonly GroupSort[];
  readonly limit: number;
  readonly includeDeleted: boolean;
  readonly warnings: readonly QueryWarning[];
}

const OPERATIONS = ["sum", "avg", "min", "max"] as const;

/** Parameters of aggregates. Their names are never read as names of fields. */
const PARAMETERS = [
  "group",
  "timeZone",
  "count",
  ...OPERATIONS,
  "sort",
  "limit",
  "where",
  "search",
  "include_deleted",
] as const;

type ParameterName = (typeof PARAMETERS)[number];

const isParameter = (name: string): name is ParameterName =>
  (PARAMETERS as readonly string[]).includes(name);

const invalid = (name: string, why: string, hint = "") =>
  new Problem("INVALID_QUERY", { message: `${quoted(name)} ${why}.${hint}` });

/** Parses the query string of an aggregate, without the question mark. Throws `INVALID_QUERY`. */
export function parseAggregateQuery(collection: Collection, text: string): AggregateRequest {
  const { parameters, filters } = readParameters(collection, text);
  const timeZone = parseTimeZone(parameters.get("timeZone"));
  const keys = parseGroup(collection, parameters.get("group"), timeZone);
  const figures = parseFigures(collection, parameters);
  if (keys.length === 0 && figures.length === 0) {
    const why = "Nothing is requested: send count=true, or fields in group, sum, avg, min or max.";
    const [hint = ""] = filters.slice(0, HINTS_MAX)
      .map(([name]) => isDeclared(collection, name) ? "" : didYouMean(name, PARAMETERS))
      .filter((hint) => hint !== "");
    throw new Problem("INVALID_QUERY", { message: why + hint });
  }
  return {
    ...readConditions(collection, filters, {
      where: parameters.get("where"),
      search: parameters.get("search"),
    }),
    keys,
    figures,
    sort: parseSort(parameters.get("sort"), keys, figures),
    limit: parseInteger("limit", parameters.get("limit"), GROUPS_DEFAULT, GROUPS_MAX),
    includeDeleted: parseFlag("include_deleted", parameters.get("include_deleted"), false),
  };
}

function readParameters(collection: Collection, text: string) {
  const parameters = new Map<ParameterName, string>();
  const filters: Parameter[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    if (isParameter(name)) {
      if (parameters.has(name)) throw invalid(name, "is given more than once");
      parameters.set(name, value);
    } else if (isReserved(name) || isOffset(collection, name)) {
      throw invalid(
        name,
        `is not a parameter of aggregates: use ${PARAMETERS.join(", ")}`,
        didYouMean(name, PARAMETERS),
      );
    } else {
      filters.push([name, value]);
    }
  }
  return { parameters, filters };
}

function commaList(name: ParameterName, text: string | undefined, max: number): string[] {
  if (text === undefined) return [];
  const terms = text.split(",", max + 1).map((term) => term.trim());
  if (terms.length > max) throw invalid(name, `names more than ${max} fields`);
  return terms;
}

const UNITS: readonly string[] = ["hour", "day", "week", "month", "year"];

const isUnit = (text: string): text is Bucket => UNITS.includes(text);

function parseTimeZone(text: string | undefined): string {
  const name = text === undefined ? "UTC" : zoneName(text);
  if (name === null) throw invalid("timeZone", "must be an IANA name, such as Europe/Berlin");
  return name;
}

function parseGroup(
  collection: Collection,
  text: string | undefined,
  timeZone: string,
): GroupKey[] {
  const keys = commaList("group", text, GROUP_FIELDS_MAX).map((term): GroupKey => {
    const [path = "", unit, ...rest] = term.split(":", 3);
    const type = requireScalarType(collection, "group", path);
    if (unit === undefined) return { path };
    if (!isUnit(unit) || rest.length > 0) {
      throw invalid("group", `must be a list of field, or of a Date field:${UNITS.join("|")}`);
    }
    if (!FIELD_TYPES[type].aggregates.includes("bucket")) {
      throw invalid("group", `cannot take ${unit}s of ${quoted(path)}, which is declared ${type}`);
    }
    return { path, bucket: { unit, timeZone } };
  });
  assertDistinct("group", keys.map(({ path }) => path));
  return keys;
}

function parseFigures(collection: Collection, given: ReadonlyMap<ParameterName, string>): Figure[] {
  const figures = OPERATIONS.flatMap((op) => {
    const paths = commaList(op, given.get(op), FIGURES_MAX);
    assertDistinct(op, paths);
    return paths.map((path): Figure => {
      const type = requireScalarType(collection, op, path);
      if (!FIELD_TYPES[type].aggregates.includes(op)) {
        const wanted = typesWithFigure(op).join(" or ");
        throw invalid(op, `needs a field declared ${wanted}: ${quoted(path)} is declared ${type}`);
      }
      return { op, path };
    });
  });
  if (figures.length > FIGURES_MAX) {
    throw new Problem("INVALID_QUERY", {
      message: `${OPERATIONS.join(", ")} name more than ${FIGURES_MAX} fields together.`,
    });
  }
  return parseFlag("count", given.get("count"), false) ? [{ op: "count" }, ...figures] : figures;
}

function assertDistinct(name: ParameterName, paths: readonly string[]): void {
  if (new Set(paths).size < paths.length) throw invalid(name, "names a field twice");
}

function requireScalarType(collection: Collection, name: ParameterName, path: string): ScalarType {
  const problem = pathSizeProblem(path);
  if (problem !== null) throw invalid(name, `cannot use ${quoted(path)}: ${problem}`);
  const type = scalarTypeAt(collection, path);
  if (type !== null) return type;
  throw invalid(
    name,
    `cannot use ${quoted(path)}: only declared fields of one value, _id, createdAt, updatedAt, ` +
      "isDeleted and deletedAt can be used",
    didYouMean(path, declaredPaths(collection).filter((one) => scalarTypeAt(collection, one))),
  );
}

function scalarTypeAt(collection: Collection, path: string): ScalarType | null {
  const declared = declaredAt(collection, path);
  if (declared.kind !== "declared") return null;
  const { type } = declared.shape;
  return isScalarType(type) ? type : null;
}

function parseSort(
  text: string | undefined,
  keys: readonly GroupKey[],
  figures: readonly Figure[],
): GroupSort[] {
  const terms = commaList("sort", text, SORT_KEYS_MAX).map(splitTerm);
  assertDistinct("sort", terms.map(({ name }) => name));
  return terms.map(({ name, descending }) => {
    const key = keys.findIndex(({ path }) => path === name);
    if (key >= 0) return { of: "key", index: key, descending };
    const index = figures.findIndex((figure) => figureName(figure) === name);
    if (index >= 0) return { of: "figure", index, descending };
    throw invalid(
      "sort",
      `cannot sort by ${quoted(name)}: it is neither a field in group nor a requested figure, ` +
        "such as count or sum.views",
      didYouMean(name, [...keys.map(({ path }) => path), ...figures.map(figureName)]),
    );
  });
}

const figureName = (figure: Figure): string =>
  figure.op === "count" ? "count" : `${figure.op}.${figure.path}`;
