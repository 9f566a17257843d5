import type { Services } from "@/lib/services.ts";
import type { Arguments, OptionNames } from "./arguments.ts";

/** An administrative command. */
export interface Command {
  readonly usage: string;
  readonly options: OptionNames;
  /** A result with `ok: false` is shown like any other, and the command then fails. */
  run(services: Services, args: Arguments): Promise<unknown>;
}
