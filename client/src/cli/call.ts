import {
  inexactText,
  isExactNumeral,
  jsonRefusal,
  refuseInexactIntegers,
} from "../../../lib/store/exact_json.ts";
import type { Call } from "../transport.ts";
import { type Given, type GlobalOptions, nameOf } from "./arguments.ts";
import { type Command, type CommandOption, UsageError } from "./command.ts";
import type { Inputs } from "./inputs.ts";

type Value = string | boolean | null;

/** The request that a command stands for. Throws {@linkcode UsageError}. */
export async function callOf(
  command: Command,
  { given, globals, inputs }: {
    given: Given;
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
        path = path.replace(`{${option.name}}`, segmentOf(option.option, String(value)));
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
    // The server gives the first answer again.
    ...("idempotency-key" in headers && { isRepeatable: true }),
  };
}

/** An address is read anew before it is sent: what means another path there is no value. */
function segmentOf(option: string, value: string): string {
  if (!["", ".", ".."].includes(value)) return encodeURIComponent(value);
  throw new UsageError(`--${option} must have a value that an address can hold.`);
}

/** Members of a body are asked for only where the body is made of them. */
function requireGiven(
  command: Command,
  given: Given,
  { data }: Pick<GlobalOptions, "data">,
): void {
  const missing = command.options
    .filter((one) => one.required && !given.has(one.option))
    .filter((one) => one.in !== "body" || data === undefined)
    .map(({ option }) => `--${option}`);
  if (missing.length > 0) {
    throw new UsageError(`"${nameOf(command)}" needs ${missing.join(", ")}.`, nameOf(command));
  }
  const isEmpty = command.takesBody && data === undefined &&
    !command.options.some((one) => one.in === "body" && given.has(one.option));
  if (isEmpty) {
    throw new UsageError(
      `"${nameOf(command)}" needs a body: --data JSON, @FILE or - for standard input.`,
      nameOf(command),
    );
  }
}

/** Conditions may also be written one by one, as they are in an address. */
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
    given: Given;
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
  const text = await inputs.named(globals.data) ?? globals.data;
  const whole = json("data", text);
  if (members.length === 0) return whole;
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) {
    throw new UsageError("--data must be an object, beside options for its members.");
  }
  return { ...whole, ...Object.fromEntries(members) };
}

async function memberValue(
  { option, type }: CommandOption,
  value: Value,
  inputs: Inputs,
): Promise<unknown> {
  if (typeof value !== "string" || type === "text") return value;
  if (type === "number") return number(option, value);
  const read = await inputs.named(value);
  if (type === "json") return json(option, read ?? value);
  if (type === "long") return read ?? value;
  if (read !== null) return read.replace(/\r?\n$/, "");
  throw new UsageError(
    `--${option} is confidential, and other processes see arguments: put it into a file and say ` +
      `--${option} @FILE, or - for standard input.`,
  );
}

function number(option: string, text: string): number {
  const value = Number(text);
  if (!isExactNumeral(text)) throw new UsageError(`--${option} has ${inexactText(text)}.`);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new UsageError(`--${option} must be a number.`);
}

function json(option: string, text: string): unknown {
  try {
    const value = JSON.parse(text);
    refuseInexactIntegers(text);
    return value;
  } catch (cause) {
    throw new UsageError(
      `--${option} ${jsonRefusal(cause, text)}. A file is named as @FILE, and - is standard input.`,
    );
  }
}
