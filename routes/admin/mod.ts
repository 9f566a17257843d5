import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { COMMANDS } from "./commands.ts";
import type { Command } from "./command.ts";
import { type Arguments, parseArguments } from "./arguments.ts";

/**
 * Runs one administrative command. With `--json` its result is one JSON object on one line of
 * standard output and nothing else. Returns the exit code.
 */
export async function runAdmin(services: Services, words: readonly string[]): Promise<number> {
  try {
    const named = commandOf(words);
    if (named === null) throw new Problem("INVALID_INPUT", { message: usage(words) });
    const { name, command, rest } = named;
    const args: Arguments = parseArguments(rest, command.options);
    const result = await command.run(services, args);
    const print = command.takesOutput?.(args) ? console.error : console.log;
    print(args.flag("json") ? JSON.stringify(result) : shown(command, result));
    if (!isFailure(result)) return 0;
    console.error(`${name}: something is not as it should be; the result names it.`);
    return 1;
  } catch (error) {
    console.error(error instanceof Problem ? `${error.message} (${error.code})` : String(error));
    return 1;
  }
}

/** A command's name has one word or two. */
function commandOf(words: readonly string[]) {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = COMMANDS.get(name);
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  return null;
}

const shown = ({ text }: Command, result: unknown): string =>
  text === undefined
    ? JSON.stringify(result, null, 2)
    : (result as { readonly [member: string]: string })[text]!;

const isFailure = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "ok" in result && result.ok === false;

function usage(words: readonly string[]): string {
  const lines = [...COMMANDS].map(([name, { usage }]) => `  deno task admin ${name} ${usage}`);
  const asked = words.length === 0
    ? "Name a command."
    : `There is no command "${words.join(" ")}".`;
  return `${asked} Commands, each with --json:\n${lines.join("\n")}`;
}
