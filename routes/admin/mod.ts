import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { COMMANDS } from "./commands.ts";
import { type Arguments, parseArguments } from "./arguments.ts";

/**
 * Runs one administrative command. With `--json` its result is one JSON object on one line of
 * standard output and nothing else. Returns the exit code.
 */
export async function runAdmin(services: Services, words: readonly string[]): Promise<number> {
  try {
    const [group = "", action = "", ...rest] = words;
    const command = COMMANDS.get(`${group} ${action}`);
    if (command === undefined) throw new Problem("INVALID_INPUT", { message: usage(words) });
    const args: Arguments = parseArguments(rest, command.options);
    const result = await command.run(services, args);
    console.log(args.flag("json") ? JSON.stringify(result) : JSON.stringify(result, null, 2));
    if (!isFailure(result)) return 0;
    console.error(`${group} ${action}: something is not as it should be; the result names it.`);
    return 1;
  } catch (error) {
    console.error(error instanceof Problem ? `${error.message} (${error.code})` : String(error));
    return 1;
  }
}

const isFailure = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "ok" in result && result.ok === false;

function usage(words: readonly string[]): string {
  const lines = [...COMMANDS].map(([name, { usage }]) => `  deno task admin ${name} ${usage}`);
  const asked = words.length === 0
    ? "Name a command."
    : `There is no command "${words.join(" ")}".`;
  return `${asked} Commands, each with --json:\n${lines.join("\n")}`;
}
