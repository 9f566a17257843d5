import { commandName } from "./arguments.ts";
import { type Command, type CommandOption, type CommandTable, UsageError } from "./command.ts";

const WIDTH = 96;
const INDENT = 30;

const GLOBAL_HELP: readonly (readonly [string, string])[] = [
  [
    "--url URL",
    "Address of Corbel. Default: CORBEL_URL, then the address that this program was loaded from.",
  ],
  [
    "--token-file FILE|-",
    "File with the personal access token, `-` for standard input. Default: CORBEL_TOKEN. The token " +
    "cannot be an argument, because other processes see those.",
  ],
  ["--json", "Print answers and problems as one line of JSON, also on a terminal."],
  ["--to FILE", "Write the answer to a file."],
  ["--allow-http", "Allow sending the token unencrypted to another host."],
  ["--help", "Show what a command does, and its options."],
];

/** @param topic Words of nothing, a group or a command. Throws {@linkcode UsageError}. */
export function helpText(topic: readonly string[], table: CommandTable): string {
  const [group, verb] = topic;
  if (group === undefined) return overview(table);
  const own = table.commands.filter((one) => one.group === group);
  if (verb === undefined) return groupHelp(group, own, table);
  const command = own.find((one) => one.verb === verb);
  if (command === undefined) throw new UsageError(`There is no command "${topic.join(" ")}".`);
  return commandHelp(command);
}

const overview = ({ groups }: CommandTable): string =>
  [
    "corbel: the functions of the dashboard, from a shell.",
    "Usage: corbel GROUP COMMAND [options]",
    section("Groups", Object.entries(groups)),
    section("Every command takes", GLOBAL_HELP),
    "corbel GROUP --help lists the commands of a group, corbel GROUP COMMAND --help explains one.\n" +
    "Exit codes: 0 done, 1 refused or failed, 2 called wrongly.",
  ].join("\n\n");

const groupHelp = (
  group: string,
  commands: readonly Command[],
  { groups }: CommandTable,
): string =>
  [
    `corbel ${group}: ${groups[group]}`,
    section("Commands", commands.map(({ verb, summary }) => [`${group} ${verb}`, `${summary}.`])),
    `corbel ${group} COMMAND --help explains one.`,
  ].join("\n\n");

function commandHelp(command: Command): string {
  const required = command.options.filter((one) => one.required);
  const usage = [
    `corbel ${commandName(command)}`,
    ...command.operand ? [command.operand] : [],
    // Members of a body may be in --data instead.
    ...required.filter((one) => one.in !== "body").map(optionUsage),
    ...command.takesBody ? ["--data JSON|@FILE|-"] : [],
    "[options]",
  ].join(" ");
  return [
    `corbel ${commandName(command)}: ${command.summary}.`,
    ...command.description.split("\n\n").map((paragraph) => wrapText(paragraph, WIDTH).join("\n")),
    `Usage: ${usage}`,
    section("Options", [
      ...command.options.map((one) => [optionUsage(one), describe(one)] as const),
      ...command.takesBody ? [DATA_HELP] : [],
      ...command.isPaged ? [ALL_HELP] : [],
    ]),
    section("Every command takes", GLOBAL_HELP),
    `Example:\n  ${command.example}`,
  ].filter((part) => part !== "").join("\n\n");
}

const DATA_HELP = [
  "--data JSON|@FILE|-",
  "The complete body, as JSON. Options for its members replace those in it.",
] as const;

const ALL_HELP = [
  "--all",
  "All pages: each item is one line of JSON.",
] as const;

function optionUsage({ option, type, choices, name }: CommandOption): string {
  if (type === "boolean") return `--[no-]${option}`;
  return `--${option} ${choices?.join("|") ?? placeholder(type, name)}`;
}

function placeholder(type: CommandOption["type"], name: string): string {
  if (type === "json") return "JSON|@FILE|-";
  if (type === "filter") return "NAME=VALUE|JSON";
  if (type === "secret") return "@FILE|-";
  if (type === "long") return "TEXT|@FILE|-";
  if (type === "number") return "NUMBER";
  return /(?:^id|Id)$/.test(name) ? "ID" : "TEXT";
}

const describe = ({ option, type, description, required, nullable }: CommandOption): string =>
  [
    ...required ? ["Required."] : [],
    description,
    ...type === "list" ? ["May be given several times."] : [],
    ...nullable ? [`--no-${option} sets it to null.`] : [],
  ].join(" ").trim();

const section = (title: string, rows: readonly (readonly [string, string])[]): string =>
  rows.length === 0 ? "" : `${title}:\n${rows.flatMap((row) => rowLines(...row)).join("\n")}`;

function rowLines(name: string, text: string): string[] {
  const [first = "", ...others] = wrapText(text, WIDTH - INDENT);
  const head = `  ${name}`;
  const indent = " ".repeat(INDENT);
  const begin = head.length < INDENT - 1 ? [head.padEnd(INDENT) + first] : [head, indent + first];
  return [...begin, ...others.map((line) => indent + line)].map((line) => line.trimEnd());
}

/** Wraps a text at a width in characters. Existing line breaks are kept. */
function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      if (current !== "" && current.length + 1 + word.length > width) {
        lines.push(current);
        current = word;
      } else current = current === "" ? word : `${current} ${word}`;
    }
    return [...lines, current];
  });
}
