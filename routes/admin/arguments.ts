import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Problem } from "@/lib/problems.ts";
import { nearest } from "@/lib/text/nearest.ts";

/** The options of a command: those that take a value, and those that are there or not. */
export interface OptionNames {
  readonly values: readonly string[];
  readonly flags?: readonly string[];
}

export interface Arguments {
  /** Throws `INVALID_INPUT` when the option is missing. */
  required(name: string): string;
  optional(name: string): string | null;
  flag(name: string): boolean;
  /** Where a path leads that was given: from the folder that the command was started in. */
  located(path: string): string;
}

const refuse = (message: string) => new Problem("INVALID_INPUT", { message });

/**
 * Reads `--name value` words. Every command also takes `--json`.
 * @param folder The one that the command was started in; a task runs in that of its configuration.
 */
export function parseArguments(
  words: readonly string[],
  names: OptionNames,
  folder = ".",
): Arguments {
  const options = Object.fromEntries([
    ...names.values.map((name) => [name, { type: "string" }] as const),
    ...["json", ...names.flags ?? []].map((name) => [name, { type: "boolean" }] as const),
  ]);
  const values = new Map<string, unknown>();
  try {
    const parsed = parseArgs({ args: [...words], options, strict: true });
    for (const [name, value] of Object.entries(parsed.values)) values.set(name, value);
  } catch (error) {
    throw refuse(withMeantOption((error as Error).message, Object.keys(options)));
  }
  const optional = (name: string) => (values.get(name) as string | undefined) ?? null; // By its type.
  return {
    optional,
    required(name) {
      const value = optional(name);
      if (value === null || value === "") throw refuse(`--${name} is missing.`);
      return value;
    },
    flag: (name) => values.get(name) === true,
    located: (path) => resolve(folder, path),
  };
}

/** What Node says of words that are no options of a command, with the option that was meant. */
function withMeantOption(told: string, names: readonly string[]): string {
  const unknown = /^Unknown option '--?([^']+)'/.exec(told)?.[1];
  if (unknown === undefined) return told;
  const meant = nearest(unknown, names);
  return `There is no option --${unknown} here.${
    meant === null ? "" : ` Did you mean --${meant}?`
  }`;
}
