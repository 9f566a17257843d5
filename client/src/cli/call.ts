import {
  inexactText,
  isExactNumeral,
  jsonErrorReason,
  rejectInexactIntegers,
} from "../../../lib/store/exact_json.ts";
import type { Call } from "../transport.ts";
import { commandName, type GivenOptions, type GlobalOptions } from "./arguments.ts";
import { type Command, type CommandOption, UsageError } from "./command.ts";
import type { Inputs } from "./inputs.ts";

type Value = string | boolean | null;

/** Resolves to the request of a command. Throws {@linkcode UsageError}. */
export async function callFor(
  command: Command,
  { given, globals, inputs }: {
    given: GivenOptions;
    globals: Pick<GlobalOptions, "data">;
    inputs: Inputs;
  },
): Promise<Call> {
  const { method, options, takesBody } = command;
  requireGiven(command, given, globals);
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = command.path;
  for (const option of options) {
    for (const value of given.get(option.option) ?? []) {
      if (option.in === "path") {
        path = path.replace(`{${option.name}}`, pathSegment(option.option, String(value)));
      } else if (option.in === "header") headers[option.name] = String(value);
      else if (option.in === "query") addToQuery(query, option, String(value));
    }
  }
  const body = takesBody ? await bodyOf(command, { given, globals, inputs }) : undefined;
  return {
    method,
    path,
    query,
    headers,
    ...(body !== undefined && { body }),
    // The server repeats the first answer.
    ...("idempotency-key" in headers && { isRepeatable: true }),
  };
}

/** Returns a segment of a path. Throws for values that URL parsing would treat as another path. */
function pathSegment(option: string, value: string): string {
  if (!["", ".", ".."].includes(value)) return encodeURIComponent(value);
  throw new UsageError(`--${option} must have a value that an address can hold.`);
}

/** Throws for missing options. Members of the body are not required if `--data` is given. */
function requireGiven(
  command: Command,
  given: GivenOptions,
  { data }: Pick<GlobalOptions, "data">,
): void {
  const missing = command.options
    .filter((one) => one.required && !given.has(one.option))
    .filter((one) => one.in !== "body" || data === undefined)
    .map(({ option }) => `--${option}`);
  if (missing.length > 0) {
    throw new UsageError(
      `"${commandName(command)}" needs ${missing.join(", ")}.`,
      commandName(command),
    );
  }
  const isEmpty = command.takesBody && data === undefined &&
    !command.options.some((one) => one.in === "body" && given.has(one.option));
  if (isEmpty) {
    throw new UsageError(
      `"${commandName(command)}" needs a body: --data JSON, @FILE or - for standard input.`,
      commandName(command),
    );
  }
}

/** Adds an option to the query. Conditions of a filter can also be given one by one. */
function addToQuery(query: URLSearchParams, option: CommandOption, value: string): void {
  const equals = value.indexOf("=");
  if (option.type !== "filter" || value.startsWith("{")) query.append(option.name, value);
  else if (equals > 0) {
    query.append(`${option.name}[${value.slice(0, equals)}]`, value.slice(equals + 1));
  } else throw new UsageError(`--${option.option} is NAME=VALUE, or an object as JSON.`);
}

async function bodyOf(
  command: Command,
  { given, globals, inputs }: {
    given: GivenOptions;
    globals: Pick<GlobalOptions, "data">;
    inputs: Inputs;
  },
): Promise<unknown> {
  const members: [string, unknown][] = [];
  for (const option of command.options.filter((one) => one.in === "body")) {
    const values = given.get(option.option);
    if (values === undefined) continue;
    members.push([
      option.name,
      option.type === "list" ? values : await memberValue(option, values[0]!, inputs),
    ]);
  }
  if (globals.data === undefined) return Object.fromEntries(members);
  const text = await inputs.readNamed(globals.data) ?? globals.data;
  const body = parseJsonOption("data", text);
  if (members.length === 0) return body;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new UsageError("--data must be an object if options for its members are given.");
  }
  return { ...body, ...Object.fromEntries(members) };
}

async function memberValue(
  { option, type }: CommandOption,
  value: Value,
  inputs: Inputs,
): Promise<unknown> {
  if (typeof value !== "string" || type === "text") return value;
  if (type === "number") return parseNumberOption(option, value);
  const read = await inputs.readNamed(value);
  if (type === "json") return parseJsonOption(option, read ?? value);
  if (type === "long") return read ?? value;
  if (read !== null) return read.replace(/\r?\n$/, "");
  throw new UsageError(
    `--${option} is confidential, and other processes see arguments: put it into a file and say ` +
      `--${option} @FILE, or - for standard input.`,
  );
}

function parseNumberOption(option: string, text: string): number {
  const value = Number(text);
  if (!isExactNumeral(text)) throw new UsageError(`--${option} has ${inexactText(text)}.`);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new UsageError(`--${option} must be a number.`);
}

function parseJsonOption(option: string, text: string): unknown {
  try {
    const value = JSON.parse(text);
    rejectInexactIntegers(text);
    return value;
  } catch (cause) {
    throw new UsageError(
      `--${option} ${
        jsonErrorReason(cause, text)
      }. A file is named as @FILE, and - is standard input.`,
    );
  }
}
