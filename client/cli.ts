/** The command line, which `deno task client` builds into the one module that every Corbel serves. */

import type { CommandTable } from "./src/cli/command.ts";
import { run } from "./src/cli/run.ts";

/** Put in the place of this name when the module is built. */
declare const OPERATIONS: CommandTable;

Deno.exitCode = await run({
  args: Deno.args,
  operations: OPERATIONS,
  source: import.meta.url,
});
