import type { Services } from "@/lib/services.ts";
import type { Arguments, OptionNames } from "./arguments.ts";

/** An administrative command. */
export interface Command {
  /** What it does, in a few words. */
  readonly summary: string;
  readonly usage: string;
  readonly options: OptionNames;
  /** A result with `ok: false` is shown like any other, and the command then fails. */
  run(services: Services, args: Arguments): Promise<unknown>;
  /** The member of the result that is the output itself where no JSON is asked for: a file's text. */
  readonly text?: string;
  /** Whether standard output is what the command makes: the result goes to standard error then. */
  takesOutput?(args: Arguments): boolean;
  /** Whether it may be the first that is done in a store; elsewhere one that nothing has used is refused. */
  mayBeFirst?(args: Arguments): boolean;
}
