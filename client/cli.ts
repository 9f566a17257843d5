/** Entry point of the command line, which `deno task client` builds into `cli.js`. */

import type { CommandTable } from "./src/cli/command.ts";
import { run } from "./src/cli/run.ts";

/** Replaced with the table of commands when the module is built. */
declare const OPERATIONS: CommandTable;

Deno.exitCode = await run({
  args: Deno.args,
  operations: OPERATIONS,
  source: import.meta.url,
});
