import { STATUS_CODES } from "node:http";
import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";

/** What a request can be refused for with one status. */
export interface ProblemGroup {
  readonly status: number;
  /** "Not Found". */
  readonly name: string;
  /** In alphabetical order. */
  readonly codes: readonly ProblemCode[];
}

/** Of the tus protocol, and in no table of HTTP's. */
const CHECKSUM_MISMATCH = { 460: "Checksum Mismatch" };

const NAMES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  ...CHECKSUM_MISMATCH,
};

/** Every problem, by its status. */
export const PROBLEM_GROUPS: readonly ProblemGroup[] = [
  ...Map.groupBy(Object.keys(PROBLEMS) as ProblemCode[], (code) => PROBLEMS[code].status),
]
  .sort(([a], [b]) => a - b)
  .map(([status, codes]) => ({ status, name: NAMES[status] ?? "", codes: codes.toSorted() }));

/** Where a problem stands on a page of all, as links name it. */
export const problemAnchor = (code: ProblemCode): string => code.toLowerCase();

/** What is generated of docs/errors.md. */
export const errorCatalogue = (): string =>
  PROBLEM_GROUPS.map(({ status, name, codes }) =>
    [`## ${status} ${name}`, ...codes.map(entry)].join("\n\n")
  ).join("\n\n");

function entry(code: ProblemCode): string {
  const { message, when, remedy } = PROBLEMS[code];
  return [
    `### ${code}`,
    `> ${message.replaceAll(/[<_*]/g, "\\$&")}`,
    `**Cause.** ${when}`,
    `**What to do.** ${remedy}`,
  ].join("\n\n");
}
