import {
  FIGURES_MAX,
  GROUP_FIELDS_MAX,
  GROUPS_DEFAULT,
  GROUPS_MAX,
  SORT_KEYS_MAX,
} from "@/lib/limits.ts";
import { typesWithFigure } from "@/lib/store/shape.ts";
import type { Parameter } from "./contract.ts";
import { listing, query } from "./parameters.ts";

const fieldsWith = (figure: Parameters<typeof typesWithFigure>[0]): string =>
  `${typesWithFigure(figure).join(" or ")} fields`;

const FILLED = { type: "string", minLength: 1 };

/** Those that a list has as well, and that mean the same. */
const SHARED = ["where", "filter", "include_deleted"];

const FIGURES = `; up to ${FIGURES_MAX} fields in all four.`;

/** What documents are grouped by, and what is worked out of each group. */
export const aggregating: readonly Parameter[] = [
  query(
    "group",
    `Up to ${GROUP_FIELDS_MAX} declared fields of one value, or those that the server sets, ` +
      "comma-separated. Documents in which a field is missing or null are one group. A Date may be " +
      "`field:hour`, `field:day`, `field:week` (from Monday), `field:month` or `field:year`: the " +
      "group's key is then the moment at which that begins in the time zone. Without `group` all " +
      "documents are one group.",
    FILLED,
    "status",
  ),
  query(
    "timeZone",
    "The IANA name of the time zone of these hours to years. Its clocks count as never changed " +
      "before 1900 and after 2100.",
    { type: "string", default: "UTC" },
    "Europe/Berlin",
  ),
  query("count", "`true` answers how many documents each group has.", {
    type: "boolean",
    default: false,
  }),
  query(
    "sum",
    `${
      fieldsWith("sum")
    } to add up, comma-separated${FIGURES} The sum of no numbers is 0. One beyond the ` +
      "numbers of JSON is null. Whole numbers up to 2^53 are exact; of fractions the last digit may " +
      "differ from one engine to another.",
    FILLED,
    "views",
  ),
  query(
    "avg",
    `${fieldsWith("avg")} whose mean to answer${FIGURES} Null without a number.`,
    FILLED,
  ),
  query("min", `${fieldsWith("min")} whose least value to answer${FIGURES}`, FILLED),
  query("max", `${fieldsWith("max")} whose greatest value to answer${FIGURES}`, FILLED),
  query(
    "sort",
    `Up to ${SORT_KEYS_MAX} fields of \`group\`, or figures that are asked for, such as \`-count\` or ` +
      "`sum.views`, comma-separated; `-` or `:desc` descends. A field of `group` comes before a " +
      "figure of its name. Without it, and where all of them are equal, by the fields of `group`, " +
      "ascending.",
    FILLED,
  ),
  query("limit", "How many groups to answer at most; `more` tells whether there are others.", {
    type: "integer",
    minimum: 1,
    maximum: GROUPS_MAX,
    default: GROUPS_DEFAULT,
  }),
  ...listing.filter(({ name }) => SHARED.includes(name)),
];
