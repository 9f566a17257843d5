import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Problem } from "@/lib/problems.ts";
import { nearestWord } from "@/lib/text/nearest.ts";

/** Names of a command's options: `values` take a value, `flags` do not. */
export interface OptionNames {
  readonly values: readonly string[];
  readonly flags?: readonly string[];
}

export interface Arguments {
  /** Returns an option's value. Throws `INVALID_INPUT` if it is missing or empty. */
  required(name: string): string;
  optional(name: string): string | null;
  flag(name: string): boolean;
  /** Resolves a path against the folder in which the command was started. */
  resolvePath(path: string): string;
}

const invalidInput = (message: string) => new Problem("INVALID_INPUT", { message });

/** Reads `--name value` words. @param folder Start folder: Deno runs tasks in another one. */
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
    throw invalidInput(withMeantOption((error as Error).message, Object.keys(options)));
  }
  const optional = (name: string) => (values.get(name) as string | undefined) ?? null;
  return {
    optional,
    required(name) {
      const value = optional(name);
      if (value === null || value === "") throw invalidInput(`--${name} is missing.`);
      return value;
    },
    flag: (name) => values.get(name) === true,
    resolvePath: (path) => resolve(folder, path),
  };
}

/** Replaces Node's message about an unknown option with one that suggests a similar option. */
function withMeantOption(message: string, names: readonly string[]): string {
  const unknown = /^Unknown option '--?([^']+)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const meant = nearestWord(unknown, names);
  return `There is no option --${unknown} here.${
    meant === null ? "" : ` Did you mean --${meant}?`
  }`;
}
