import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { type Arguments, parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { helpFor, helpOfCommand, isGroup, unknownCommand } from "./help.ts";

/** A command that was asked for, with its arguments. */
export interface AskedCommand {
  readonly name: string;
  readonly command: Command;
  readonly args: Arguments;
  /** Whether it may be the first that is done in a store. */
  readonly mayBeFirst: boolean;
}

/**
 * Reads the words of a command. What needs no store is done at once: help, the version, and telling
 * what is wrong with the words; it resolves to the exit code then.
 * @param folder The one that the command was started in.
 */
export function readCommand(words: readonly string[], folder?: string): AskedCommand | number {
  const told = tellOf(words);
  if (told !== null) {
    console.log(told);
    return 0;
  }
  try {
    const named = commandOf(words);
    if (named === null) throw new Problem("INVALID_INPUT", { message: unknownCommand(words) });
    const { name, command, rest } = named;
    const args = parseArguments(rest, command.options, folder);
    return { name, command, args, mayBeFirst: command.mayBeFirst?.(args) ?? false };
  } catch (error) {
    return failed(error);
  }
}

/** What is asked for without a store; null for a command. */
function tellOf(words: readonly string[]): string | null {
  const asksHelp = words.slice(0, 2).includes("help") ||
    words.some((word) => HELP_OPTIONS.includes(word));
  if (!asksHelp) return words[0] === "version" ? versionText(words.includes("--json")) : null;
  const about = words.filter((word) => word !== "help" && !word.startsWith("-"));
  const named = commandOf(about);
  if (named !== null) return helpOfCommand(named.name, named.command);
  const [first = null] = about;
  return helpFor(first !== null && isGroup(first) ? first : null);
}

const HELP_OPTIONS: readonly string[] = ["--help", "-h"];

/**
 * Runs a command. With `--json` its result is one JSON object on one line of standard output and
 * nothing else. Resolves to the exit code.
 */
export async function runCommand(
  services: Services,
  { name, command, args }: AskedCommand,
): Promise<number> {
  try {
    const result = await command.run(services, args);
    const print = command.takesOutput?.(args) ? console.error : console.log;
    print(args.flag("json") ? JSON.stringify(result) : shown(command, result));
    if (!isFailure(result)) return 0;
    console.error(`${name}: something is not as it should be; the result names it.`);
    return 1;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): number {
  console.error(error instanceof Problem ? `${error.message} (${error.code})` : String(error));
  return 1;
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

/** Of Corbel. */
const VERSION = "0.1.0";

/** The versions, for people or as JSON. */
function versionText(isJson: boolean): string {
  const versions = { corbel: VERSION, deno: Deno.version.deno };
  return isJson
    ? JSON.stringify(versions)
    : Object.entries(versions).map((one) => one.join(" ")).join("\n");
}
