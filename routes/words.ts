import { ConfigError } from "@/lib/runtime/config.ts";
import { nearestWord } from "@/lib/text/nearest.ts";

const SERVE_TASKS = ["start", "dev"] as const;

type ServeTask = typeof SERVE_TASKS[number];

const HELP = `Usage: deno task start|dev

  start  Serve
  dev    Serve, with a demo project in an empty data folder

Both take no options: settings are environment variables, which docs/self-hosting.md lists.
"deno task admin --help" shows the commands of the administration.`;

/** Returns the task, or the exit code after printing help. Throws `ConfigError` for other words. */
export function readWords([command = "start", ...others]: readonly string[]): ServeTask | number {
  if ([command, ...others].some((word) => word === "--help" || word === "-h")) {
    console.log(HELP);
    return 0;
  }
  const serving = SERVE_TASKS.find((one) => one === command);
  if (serving === undefined) {
    const meant = nearestWord(command, [...SERVE_TASKS, "admin"]);
    const hint = meant === null ? "" : ` (did you mean "${meant}"?)`;
    throw new ConfigError([`The command must be start, dev or admin, got "${command}"${hint}`]);
  }
  if (others.length === 0) return serving;
  throw new ConfigError([`${serving} takes no options, got "${others.join(" ")}"`]);
}
