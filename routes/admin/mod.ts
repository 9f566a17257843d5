import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { helpFor, helpOfCommand, isGroup, unknownCommand } from "./help.ts";

export interface ParsedCommand {
  readonly name: string;
  readonly command: Command;
  readonly args: Arguments;
  /** Whether the command may run in an empty store. */
  readonly canInitialize: boolean;
}

/** Parses a command. After printing help, the version or an error, returns the exit code. */
export function readCommand(words: readonly string[], folder?: string): ParsedCommand | number {
  const information = informationText(words);
  if (information !== null) {
    console.log(information);
    return 0;
  }
  try {
    const named = findCommand(words);
    if (named === null) throw new Problem("INVALID_INPUT", { message: unknownCommand(words) });
    const { name, command, rest } = named;
    const args = parseArguments(rest, command.options, folder);
    return { name, command, args, canInitialize: command.canInitialize?.(args) ?? false };
  } catch (error) {
    return printFailure(error);
  }
}

/** Returns the help or the version if the words ask for it, else null. */
function informationText(words: readonly string[]): string | null {
  const asksHelp = words.slice(0, 2).includes("help") ||
    words.some((word) => HELP_OPTIONS.includes(word));
  if (!asksHelp) return words[0] === "version" ? versionText(words.includes("--json")) : null;
  const about = words.filter((word) => word !== "help" && !word.startsWith("-"));
  const named = findCommand(about);
  if (named !== null) return helpOfCommand(named.name, named.command);
  const [first = null] = about;
  return helpFor(first !== null && isGroup(first) ? first : null);
}

const HELP_OPTIONS: readonly string[] = ["--help", "-h"];

/** Runs a command, prints its result (`--json`: one line of JSON) and resolves to the exit code. */
export async function runCommand(
  services: Services,
  { name, command, args }: ParsedCommand,
): Promise<number> {
  try {
    const result = await command.run(services, args);
    const print = command.usesStandardOutput?.(args) ? console.error : console.log;
    print(args.flag("json") ? JSON.stringify(result) : resultText(command, result));
    if (!isFailure(result)) return 0;
    console.error(`${name}: the check failed; the result shows why.`);
    return 1;
  } catch (error) {
    return printFailure(error);
  }
}

function printFailure(error: unknown): number {
  console.error(error instanceof Problem ? `${error.message} (${error.code})` : String(error));
  return 1;
}

function findCommand(words: readonly string[]) {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = COMMANDS.get(name);
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  return null;
}

const resultText = ({ text }: Command, result: unknown): string =>
  text === undefined
    ? JSON.stringify(result, null, 2)
    : (result as { readonly [member: string]: string })[text]!;

const isFailure = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "ok" in result && result.ok === false;

const VERSION = "0.1.0";

function versionText(isJson: boolean): string {
  const versions = { corbel: VERSION, deno: Deno.version.deno };
  return isJson
    ? JSON.stringify(versions)
    : Object.entries(versions).map((one) => one.join(" ")).join("\n");
}
