import { STATUS_CODES } from "node:http";
import { type ProblemCode, PROBLEMS } from "@/lib/problems.ts";

export interface ProblemGroup {
  readonly status: number;
  readonly name: string;
  /** Codes in alphabetical order. */
  readonly codes: readonly ProblemCode[];
}

/** A status of the tus protocol, which HTTP does not define. */
const CHECKSUM_MISMATCH = { 460: "Checksum Mismatch" };

const NAMES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  ...CHECKSUM_MISMATCH,
};

export const PROBLEM_GROUPS: readonly ProblemGroup[] = [
  ...Map.groupBy(Object.keys(PROBLEMS) as ProblemCode[], (code) => PROBLEMS[code].status),
]
  .sort(([a], [b]) => a - b)
  .map(([status, codes]) => ({ status, name: NAMES[status] ?? "", codes: codes.toSorted() }));

export const problemAnchor = (code: ProblemCode): string => code.toLowerCase();

/** Returns the generated part of docs/errors.md. */
export const errorCatalogue = (): string =>
  PROBLEM_GROUPS.map(({ status, name, codes }) =>
    [`## ${status} ${name}`, ...codes.map(problemEntry)].join("\n\n")
  ).join("\n\n");

function problemEntry(code: ProblemCode): string {
  const { message, when, remedy } = PROBLEMS[code];
  return [
    `### ${code}`,
    `> ${message.replaceAll(/[<_*]/g, "\\$&")}`,
    `**Cause.** ${when}`,
    `**What to do.** ${remedy}`,
  ].join("\n\n");
}
