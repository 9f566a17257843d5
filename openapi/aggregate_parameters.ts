import {
  FIGURES_MAX,
  GROUP_FIELDS_MAX,
  GROUPS_DEFAULT,
  GROUPS_MAX,
  SORT_KEYS_MAX,
} from "@/lib/limits.ts";
import { typesWithFigure } from "@/lib/store/shape.ts";
import type { Parameter } from "./contract.ts";
import { listParameters, query } from "./parameters.ts";

const fieldsWith = (figure: Parameters<typeof typesWithFigure>[0]): string =>
  `${typesWithFigure(figure).join(" or ")} fields`;

const FILLED = { type: "string", minLength: 1 };

const SHARED = ["where", "filter", "include_deleted"];

const FIGURES = `; up to ${FIGURES_MAX} fields in all four.`;

export const aggregateParameters: readonly Parameter[] = [
  query(
    "group",
    `Up to ${GROUP_FIELDS_MAX} declared fields of one value, or those that the server sets, ` +
      "comma-separated. Documents in which a field is missing or null form one group. A Date may be " +
      "`field:hour`, `field:day`, `field:week` (from Monday), `field:month` or `field:year`: the " +
      "group's key is then the time at which that period begins in the time zone. Without `group`, " +
      "all documents form one group.",
    FILLED,
    "status",
  ),
  query(
    "timeZone",
    "The IANA name of the time zone of these periods. Its clocks count as unchanged before 1900 " +
      "and after 2100.",
    { type: "string", default: "UTC" },
    "Europe/Berlin",
  ),
  query("count", "`true` answers the number of documents in each group.", {
    type: "boolean",
    default: false,
  }),
  query(
    "sum",
    `${
      fieldsWith("sum")
    } to add up, comma-separated${FIGURES} The sum of no numbers is 0. A sum beyond the ` +
      "range of JSON numbers is null. Integers up to 2^53 are exact; the last digit of a fraction may " +
      "differ between engines.",
    FILLED,
    "views",
  ),
  query(
    "avg",
    `${fieldsWith("avg")} whose mean to answer${FIGURES} Null if there are no numbers.`,
    FILLED,
  ),
  query("min", `${fieldsWith("min")} whose least value to answer${FIGURES}`, FILLED),
  query("max", `${fieldsWith("max")} whose greatest value to answer${FIGURES}`, FILLED),
  query(
    "sort",
    `Up to ${SORT_KEYS_MAX} fields of \`group\`, or figures that are asked for, such as \`-count\` or ` +
      "`sum.views`, comma-separated; `-` or `:desc` descends. A name means a field of `group` " +
      "rather than a figure. By default, and for equal values, groups are sorted by the fields of " +
      "`group`, ascending.",
    FILLED,
  ),
  query("limit", "Maximum number of groups; `more` says whether there are others.", {
    type: "integer",
    minimum: 1,
    maximum: GROUPS_MAX,
    default: GROUPS_DEFAULT,
  }),
  ...listParameters.filter(({ name }) => SHARED.includes(name)),
];
