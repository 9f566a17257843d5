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
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Collection, declaredAt, declaredPaths } from "./collection.ts";
import { HINTS_MAX } from "./condition_reader.ts";
import { isDeclared, type Parameter } from "./filter_parameters.ts";
import { pathSizeProblem } from "./names.ts";
import { flag, isOffset, readConditions, sortTerm, wholeNumber } from "./query.ts";
import { isReserved } from "./reserved_parameters.ts";

/** A query for groups, read and checked; nothing of the caller is in it yet. */
export interface AggregateRequest {
  readonly filter: Filter;
  readonly keys: readonly GroupKey[];
  readonly figures: readonly Figure[];
  readonly sort: readonly GroupSort[];
  readonly limit: number;
  readonly includeDeleted: boolean;
  /** Of conditions on fields that nobody declared. */
  readonly warnings: readonly QueryWarning[];
}

const OPERATIONS = ["sum", "avg", "min", "max"] as const;

/** Parameters of aggregates, which never are fields there. */
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

type Name = (typeof PARAMETERS)[number];

const isParameter = (name: string): name is Name =>
  (PARAMETERS as readonly string[]).includes(name);

const refuse = (name: string, why: string, hint = "") =>
  new Problem("INVALID_QUERY", { message: `${shown(name)} ${why}.${hint}` });

/** Reads the query of an aggregate: what follows the question mark. */
export function parseAggregateQuery(collection: Collection, text: string): AggregateRequest {
  const { given, filters } = readParameters(collection, text);
  const keys = parseGroup(collection, given.get("group"), parseTimeZone(given.get("timeZone")));
  const figures = parseFigures(collection, given);
  if (keys.length === 0 && figures.length === 0) {
    const why = "Nothing is asked for: send count=true, or fields in group, sum, avg, min or max.";
    const [hint = ""] = filters.slice(0, HINTS_MAX)
      .map(([name]) => isDeclared(collection, name) ? "" : didYouMean(name, PARAMETERS))
      .filter((hint) => hint !== "");
    throw new Problem("INVALID_QUERY", { message: why + hint });
  }
  return {
    ...readConditions(collection, filters, {
      where: given.get("where"),
      search: given.get("search"),
    }),
    keys,
    figures,
    sort: parseSort(given.get("sort"), keys, figures),
    limit: wholeNumber("limit", given.get("limit"), GROUPS_DEFAULT, GROUPS_MAX),
    includeDeleted: flag("include_deleted", given.get("include_deleted"), false),
  };
}

function readParameters(collection: Collection, text: string) {
  const given = new Map<Name, string>();
  const filters: Parameter[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    if (isParameter(name)) {
      if (given.has(name)) throw refuse(name, "is given more than once");
      given.set(name, value);
    } else if (isReserved(name) || isOffset(collection, name)) {
      throw refuse(
        name,
        `is not a parameter of aggregates: use ${PARAMETERS.join(", ")}`,
        didYouMean(name, PARAMETERS),
      );
    } else {
      filters.push([name, value]);
    }
  }
  return { given, filters };
}

/** Paths of a comma list, none of them twice. */
function listed(name: Name, text: string | undefined, max: number): string[] {
  if (text === undefined) return [];
  const terms = text.split(",", max + 1).map((term) => term.trim());
  if (terms.length > max) throw refuse(name, `names more than ${max} fields`);
  return terms;
}

const UNITS: readonly string[] = ["hour", "day", "week", "month", "year"];

const isUnit = (text: string): text is Bucket => UNITS.includes(text);

function parseTimeZone(text: string | undefined): string {
  const name = text === undefined ? "UTC" : zoneName(text);
  if (name === null) throw refuse("timeZone", "must be an IANA name, such as Europe/Berlin");
  return name;
}

function parseGroup(
  collection: Collection,
  text: string | undefined,
  timeZone: string,
): GroupKey[] {
  const keys = listed("group", text, GROUP_FIELDS_MAX).map((term): GroupKey => {
    const [path = "", unit, ...rest] = term.split(":", 3);
    const type = scalarType(collection, "group", path);
    if (unit === undefined) return { path };
    if (!isUnit(unit) || rest.length > 0) {
      throw refuse("group", `must be a list of field, or of a Date field:${UNITS.join("|")}`);
    }
    if (!FIELD_TYPES[type].aggregates.includes("bucket")) {
      throw refuse("group", `cannot take ${unit}s of ${shown(path)}, which is declared ${type}`);
    }
    return { path, bucket: { unit, timeZone } };
  });
  assertDistinct("group", keys.map(({ path }) => path));
  return keys;
}

function parseFigures(collection: Collection, given: ReadonlyMap<Name, string>): Figure[] {
  const figures = OPERATIONS.flatMap((op) => {
    const paths = listed(op, given.get(op), FIGURES_MAX);
    assertDistinct(op, paths);
    return paths.map((path): Figure => {
      const type = scalarType(collection, op, path);
      if (!FIELD_TYPES[type].aggregates.includes(op)) {
        const wanted = typesWithFigure(op).join(" or ");
        throw refuse(op, `needs a field declared ${wanted}: ${shown(path)} is declared ${type}`);
      }
      return { op, path };
    });
  });
  if (figures.length > FIGURES_MAX) {
    throw new Problem("INVALID_QUERY", {
      message: `${OPERATIONS.join(", ")} name more than ${FIGURES_MAX} fields together.`,
    });
  }
  return flag("count", given.get("count"), false) ? [{ op: "count" }, ...figures] : figures;
}

function assertDistinct(name: Name, paths: readonly string[]): void {
  if (new Set(paths).size < paths.length) throw refuse(name, "names a field twice");
}

function scalarType(collection: Collection, name: Name, path: string): ScalarType {
  const problem = pathSizeProblem(path);
  if (problem !== null) throw refuse(name, `cannot use ${shown(path)}: ${problem}`);
  const type = scalarTypeAt(collection, path);
  if (type !== null) return type;
  throw refuse(
    name,
    `cannot use ${shown(path)}: only declared fields of one value, _id, createdAt, updatedAt, ` +
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
  const terms = listed("sort", text, SORT_KEYS_MAX).map(sortTerm);
  assertDistinct("sort", terms.map(({ name }) => name));
  return terms.map(({ name, descending }) => {
    const key = keys.findIndex(({ path }) => path === name);
    if (key >= 0) return { of: "key", index: key, descending };
    const index = figures.findIndex((figure) => figureName(figure) === name);
    if (index >= 0) return { of: "figure", index, descending };
    throw refuse(
      "sort",
      `cannot sort by ${shown(name)}: it is no field in group, and no figure that is asked for, ` +
        "such as count or sum.views",
      didYouMean(name, [...keys.map(({ path }) => path), ...figures.map(figureName)]),
    );
  });
}

const figureName = (figure: Figure): string =>
  figure.op === "count" ? "count" : `${figure.op}.${figure.path}`;
