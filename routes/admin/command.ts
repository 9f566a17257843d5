import type { Services } from "@/lib/services.ts";
import type { Arguments, OptionNames } from "./arguments.ts";

export interface Command {
  /** Short description, shown by `--help`. */
  readonly summary: string;
  readonly usage: string;
  readonly options: OptionNames;
  /** Runs the command. A result with `ok: false` is printed, and the exit code is then 1. */
  run(services: Services, args: Arguments): Promise<unknown>;
  /** Member of the result that is printed without `--json`, such as the text of a file. */
  readonly text?: string;
  /** Whether standard output is a file, so that the result is printed on standard error. */
  usesStandardOutput?(args: Arguments): boolean;
  /** Whether the command may run in an empty store. Other commands fail there. */
  canInitialize?(args: Arguments): boolean;
}
