import { type Command, type CommandOption, type CommandTable, UsageError } from "./command.ts";
import { nearestWord } from "../../../lib/text/nearest.ts";

export interface GlobalOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly data?: string;
  readonly to?: string;
  readonly json: boolean;
  readonly all: boolean;
  readonly allowHttp: boolean;
}

/** Values of each option that was given: texts, booleans, or null for `--no-…`. */
export type GivenOptions = ReadonlyMap<string, readonly (string | boolean | null)[]>;

export type ParsedArgs =
  | { readonly kind: "help"; readonly topic: readonly string[] }
  | {
    readonly kind: "run";
    readonly command: Command;
    readonly given: GivenOptions;
    readonly globals: GlobalOptions;
    /** Arguments that are not options: the file of an upload. */
    readonly operands: readonly string[];
  };

const GLOBAL_VALUES = { url: "url", "token-file": "tokenFile", data: "data", to: "to" } as const;
const GLOBAL_FLAGS = { json: "json", all: "all", "allow-http": "allowHttp" } as const;
class Words {
  readonly #words: readonly string[];
  #next = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  take(): string | undefined {
    return this.#words[this.#next++];
  }
}

/** Parses the arguments after the name of the program. Throws {@linkcode UsageError}. */
export function parseArgs(args: readonly string[], table: CommandTable): ParsedArgs {
  const words = new Words(args);
  const names: string[] = [];
  const operands: string[] = [];
  const given = new Map<string, (string | boolean | null)[]>();
  const globals: Record<string, string | boolean> = { json: false, all: false, allowHttp: false };
  let command: Command | undefined;
  let wantsHelp = false;
  for (let word = words.take(); word !== undefined; word = words.take()) {
    if (word === "--help" || word === "-h") wantsHelp = true;
    else if (word.startsWith("--")) {
      const option = splitOption(word);
      if (readGlobal(option, { words, globals, command })) continue;
      if (command === undefined) throw unknownGlobal(option.name, names);
      readCommandOption(option, { words, given, command });
    } else if (command === undefined) {
      names.push(word);
      command = names.length === 2 ? findCommand(names, table) : undefined;
    } else operands.push(word);
  }
  if (names.length === 0 && wantsHelp) return { kind: "help", topic: [] };
  if (names.length === 1) requireGroup(names[0]!, table);
  if (wantsHelp || names.length === 1) return { kind: "help", topic: names };
  if (command === undefined) throw new UsageError("Say what to do.");
  const read = globals as unknown as GlobalOptions; // Each member has the type of its option.
  rejectUnsupported(command, read);
  return { kind: "run", command, given, globals: read, operands };
}

export const commandName = ({ group, verb }: Pick<Command, "group" | "verb">): string =>
  `${group} ${verb}`;

interface WrittenOption {
  readonly name: string;
  /** Text after the equals sign; undefined without one. */
  readonly value: string | undefined;
}

function splitOption(word: string): WrittenOption {
  const equals = word.indexOf("=");
  if (equals < 0) return { name: word.slice(2), value: undefined };
  return { name: word.slice(2, equals), value: word.slice(equals + 1) };
}

function findCommand(names: readonly string[], table: CommandTable): Command {
  const [group, verb] = names as [string, string];
  requireGroup(group, table);
  const own = table.commands.filter((one) => one.group === group);
  const found = own.find((one) => one.verb === verb);
  if (found !== undefined) return found;
  const meant = nearestWord(verb, own.map((one) => one.verb));
  throw new UsageError(
    `There is no command "${group} ${verb}"${
      meant === null ? "." : `: is it "${group} ${meant}"?`
    }`,
    group,
  );
}

function requireGroup(name: string, { groups }: CommandTable): void {
  if (Object.hasOwn(groups, name)) return;
  const meant = nearestWord(name, Object.keys(groups));
  throw new UsageError(
    `There are no commands "${name}"${meant === null ? "." : `: is it "${meant}"?`}`,
  );
}

/** Reads an option of every command. Returns false for other options. */
function readGlobal(
  { name, value }: WrittenOption,
  { words, globals, command }: {
    words: Words;
    globals: Record<string, string | boolean>;
    command: Command | undefined;
  },
): boolean {
  if (name === "token") {
    throw new UsageError(
      "A token is not given as an argument, which other processes see: set CORBEL_TOKEN, or use " +
        "--token-file FILE, with - for standard input.",
    );
  }
  if (Object.hasOwn(GLOBAL_FLAGS, name)) {
    globals[GLOBAL_FLAGS[name as keyof typeof GLOBAL_FLAGS]] = true;
    return true;
  }
  if (!Object.hasOwn(GLOBAL_VALUES, name)) return false;
  const key = GLOBAL_VALUES[name as keyof typeof GLOBAL_VALUES];
  if (globals[key] !== undefined) throw new UsageError(`--${name} is given twice.`);
  globals[key] = requireValue({ name, value }, words, command);
  return true;
}

/** Throws for options that this command does not support. */
function rejectUnsupported(command: Command, { data, all }: GlobalOptions): void {
  if (data !== undefined && !command.takesBody) throw unknownOption("data", command);
  if (all && !command.isPaged) throw unknownOption("all", command);
}

function readCommandOption(
  { name, value }: WrittenOption,
  { words, given, command }: {
    words: Words;
    given: Map<string, (string | boolean | null)[]>;
    command: Command;
  },
): void {
  const isNo = name.startsWith("no-");
  const option = command.options.find((one) => one.option === (isNo ? name.slice(3) : name));
  if (option === undefined || (isNo && !isNegatable(option))) throw unknownOption(name, command);
  const texts = given.get(option.option) ?? [];
  if (texts.length > 0 && !["list", "filter"].includes(option.type)) {
    throw new UsageError(`--${option.option} is given twice.`, commandName(command));
  }
  texts.push(readValue(option, { isNo, value, words, command }));
  given.set(option.option, texts);
}

function readValue(
  option: CommandOption,
  { isNo, value, words, command }: {
    isNo: boolean;
    value: string | undefined;
    words: Words;
    command: Command;
  },
): string | boolean | null {
  if (isNo && value !== undefined) {
    throw new UsageError(`--no-${option.option} takes no value.`, commandName(command));
  }
  if (option.type === "boolean") {
    if (value !== undefined && value !== "true" && value !== "false") {
      throw new UsageError(`--${option.option} is true or false.`, commandName(command));
    }
    return isNo ? false : value !== "false";
  }
  return isNo ? null : requireValue({ name: option.option, value }, words, command);
}

const isNegatable = ({ type, nullable = false }: CommandOption): boolean =>
  type === "boolean" || nullable;

function requireValue(
  { name, value }: WrittenOption,
  words: Words,
  command: Command | undefined,
): string {
  const text = value ?? words.take();
  if (text !== undefined) return text;
  throw new UsageError(`--${name} needs a value.`, command && commandName(command));
}

function unknownOption(name: string, command: Command): UsageError {
  const known = [
    ...command.options.map(({ option }) => option),
    ...Object.keys({ ...GLOBAL_VALUES, ...GLOBAL_FLAGS }),
  ].filter((one) => one !== name);
  const meant = nearestWord(name, known);
  return new UsageError(
    `"${commandName(command)}" has no option --${name}${
      meant === null ? "." : `: is it --${meant}?`
    }`,
    commandName(command),
  );
}

const unknownGlobal = (name: string, names: readonly string[]): UsageError =>
  new UsageError(`--${name} must follow its command.`, names[0]);
