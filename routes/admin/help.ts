import { nearestWord } from "@/lib/text/nearest.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { OPTION_TEXTS } from "./option_texts.ts";

const PROGRAM = "deno task admin";

export const usageLines = (): string[] => [
  ...[...COMMANDS].map(([name, command]) => usageOf(name, command)),
  `${PROGRAM} version`,
];

const usageOf = (name: string, { usage }: Command): string => `${PROGRAM} ${name} ${usage}`.trim();

/** Returns the first words of commands whose names have two. */
const groups = (): Set<string> =>
  new Set([...COMMANDS.keys()].flatMap((name) => /^(\w+) /.exec(name)?.[1] ?? []));

export function helpFor(group: string | null): string {
  const listed = [...COMMANDS].filter(([name]) => group === null || name.startsWith(`${group} `))
    .map(([name, { summary }]) => [name, summary] as const);
  const rows = group === null ? [...listed, VERSION_ROW] : listed;
  const of = group === null ? "COMMAND" : `${group} COMMAND`;
  return `Usage: ${PROGRAM} ${of} [--json]

${table(rows)}

"${PROGRAM} ${of} --help" shows the options of a command.
With --json a command prints one JSON object on one line of standard output, and messages on
standard error.`;
}

const VERSION_ROW = ["version", "Print the versions of Corbel and of Deno"] as const;

export function helpOfCommand(name: string, command: Command): string {
  const { values, flags = [] } = command.options;
  const metas = new Map(
    [...command.usage.matchAll(/--([\w-]+) ([^\s\]]+)/g)].map(([, option, meta]) => [option, meta]),
  );
  const rows = [
    ...values.map((one) => [`--${one} ${metas.get(one)}`, OPTION_TEXTS[one] ?? ""] as const),
    ...[...flags, "json"].map((one) => [`--${one}`, OPTION_TEXTS[one] ?? ""] as const),
  ];
  return `Usage: ${usageOf(name, command)} [--json]

${command.summary}.

${table(rows)}`;
}

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
};

export function unknownCommand(words: readonly string[]): string {
  const [first = "", second = ""] = words;
  const all = groups();
  if (first === "") return `Name a command.\n\n${helpFor(null)}`;
  if (all.has(first) && (second === "" || second.startsWith("-"))) {
    return `"${first}" is the beginning of these commands.\n\n${helpFor(first)}`;
  }
  const typed = [first, second].filter((word) => word !== "" && !word.startsWith("-")).join(" ");
  const meant = nearestWord(typed, COMMANDS.keys()) ?? nearestWord(first, all);
  const hint = meant === null ? "" : ` Did you mean "${meant}"?`;
  return `There is no command "${typed}".${hint}\n\n${helpFor(all.has(first) ? first : null)}`;
}

export const isGroup = (word: string): boolean => groups().has(word);
