import { ConfigError } from "@/lib/runtime/config.ts";
import { nearest } from "@/lib/text/nearest.ts";

const SERVING = ["start", "dev"] as const;

type Serving = typeof SERVING[number];

const HELP = `Usage: deno task start|dev

  start  Serve
  dev    Serve, with a demo project in an empty data folder

Both take no options: settings are environment variables, which docs/self-hosting.md lists.
"deno task admin --help" shows the commands of the administration.`;

/** How to serve; the exit code where help was asked for. Throws `ConfigError` for other words. */
export function readWords([command = "start", ...others]: readonly string[]): Serving | number {
  if ([command, ...others].some((word) => word === "--help" || word === "-h")) {
    console.log(HELP);
    return 0;
  }
  const serving = SERVING.find((one) => one === command);
  if (serving === undefined) {
    const meant = nearest(command, [...SERVING, "admin"]);
    const hint = meant === null ? "" : ` (did you mean "${meant}"?)`;
    throw new ConfigError([`The command must be start, dev or admin, got "${command}"${hint}`]);
  }
  if (others.length === 0) return serving;
  throw new ConfigError([`${serving} takes no options, got "${others.join(" ")}"`]);
}
