import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { findByEmail } from "@/lib/store/email_records.ts";
import { requiredProjectId } from "@/lib/ids.ts";
import { importLate } from "@/lib/import_late.ts";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from "@/lib/limits.ts";
import type { PageRequest } from "@/lib/paging/record_page.ts";
import { Problem } from "@/lib/problems.ts";
import { findProject } from "@/lib/projects/projects.ts";
import type { Services } from "@/lib/services.ts";
import { jsonErrorReason } from "@/lib/store/exact_json.ts";
import { jsonFaultSuffix } from "@/lib/store/json_fault.ts";
import { parseExactJson, parseJson } from "@/lib/store/json_text.ts";
import type { Id } from "@/lib/store/port.ts";
import { decodeUtf8, NotUtf8 } from "@/lib/text/utf8.ts";
import type { Arguments } from "./arguments.ts";

/** Returns the id of `--project`. Throws `INVALID_PROJECT_ID` or `PROJECT_NOT_FOUND`. */
export async function projectId(services: Services, args: Arguments): Promise<Id> {
  return (await findProject(services, projectIdArgument(args)))._id;
}

/** Returns the id of `--project` without looking it up. Throws `INVALID_PROJECT_ID`. */
export const projectIdArgument = (args: Arguments): Id =>
  requiredProjectId(args.required("project"));

/** Returns the id of the account of `--owner`, or null without it. Throws `ACCOUNT_NOT_FOUND`. */
export async function ownerId({ engine }: Services, args: Arguments): Promise<Id | null> {
  const email = args.optional("owner");
  if (email === null) return null;
  const account = await findByEmail(engine.records<AccountRecord>("control", ACCOUNTS), email);
  if (account === null) throw new Problem("ACCOUNT_NOT_FOUND");
  return account._id;
}

/** Reads `--limit` and `--cursor`. Throws `INVALID_INPUT`. */
export function pageRequest(args: Arguments): PageRequest {
  const text = args.optional("limit") ?? String(LIST_LIMIT_DEFAULT);
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : NaN;
  if (!(limit <= LIST_LIMIT_MAX)) {
    throw invalidInput(`--limit must be a whole number from 1 to ${LIST_LIMIT_MAX}.`);
  }
  return { limit, cursor: args.optional("cursor") ?? undefined };
}

export const fileSchemas = () =>
  importLate<typeof import("./file_schemas.ts")>(import.meta.resolve("./file_schemas.ts"));

/** Reads the JSON of a file, or of standard input for `-`. Throws `INVALID_INPUT`. */
export async function jsonFile(args: Arguments, option = "file"): Promise<unknown> {
  const path = args.required(option);
  const text = await readText(path, args);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw invalidInput(`The file "${path}" ${jsonErrorReason(cause, text)}.`, cause);
  }
}

/** Reads the JSON of a file with secrets, which an error message must not quote. */
export async function secretJsonFile(args: Arguments): Promise<unknown> {
  const path = args.required("file");
  const text = await readText(path, args);
  try {
    return parseJson(text);
  } catch {
    throw invalidInput(`The file "${path}" is not valid JSON${jsonFaultSuffix(text)}.`);
  }
}

async function readText(path: string, { resolvePath: located }: Arguments): Promise<string> {
  try {
    return decodeUtf8(
      path === "-"
        ? await new Response(Deno.stdin.readable).bytes()
        : await Deno.readFile(located(path)),
    );
  } catch (cause) {
    if (!(cause instanceof NotUtf8)) throw invalidInput(`Cannot read the file "${path}".`, cause);
    throw invalidInput(`The file "${path}" ${cause.message}: save it as UTF-8.`, cause);
  }
}

const invalidInput = (message: string, cause?: unknown) =>
  new Problem("INVALID_INPUT", { message, cause });
