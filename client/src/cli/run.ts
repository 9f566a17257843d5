import { CorbelError, envelopeOf } from "../errors.ts";
import { Transport } from "../transport.ts";
import { commandName, type GlobalOptions, parseArgs, type ParsedArgs } from "./arguments.ts";
import { callFor } from "./call.ts";
import { type Command, type CommandTable, UsageError } from "./command.ts";
import { helpText } from "./help.ts";
import { Inputs } from "./inputs.ts";
import { openOutput, type Output } from "./output.ts";
import { UPLOAD, upload } from "./upload.ts";

export interface ProgramStart {
  readonly args: readonly string[];
  readonly operations: CommandTable;
  /** Address that this module was loaded from. */
  readonly source: string;
}

/** Runs the command of the arguments. Resolves to the exit code. */
export async function run({ args, operations, source }: ProgramStart): Promise<number> {
  const table = { ...operations, commands: [...operations.commands, UPLOAD] };
  const isJson = args.includes("--json");
  try {
    const parsed = parseArgs(args, table);
    if (parsed.kind === "help") console.log(helpText(parsed.topic, table));
    else await execute(parsed, source);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      const help = ["corbel", error.helpTopic, "--help"].filter((word) => word !== "").join(" ");
      console.error(`corbel: ${error.message}\nSee ${help}.`);
      return 2;
    }
    console.error(failureText(error, isJson));
    return 1;
  }
}

async function execute(args: Extract<ParsedArgs, { kind: "run" }>, source: string): Promise<void> {
  const { command, given, globals, operands } = args;
  if (command !== UPLOAD && operands.length > 0) {
    throw new UsageError(`"${operands[0]}" does not belong to an option.`, commandName(command));
  }
  const inputs = new Inputs();
  const call = command === UPLOAD ? null : await callFor(command, { given, globals, inputs });
  const transport = new Transport(serverUrl(globals, source), "", fetchDirectly);
  const token = await readToken(globals, inputs);
  transport.tokens = { token: () => Promise.resolve(token), renew: () => Promise.resolve() };
  await using output = await openOutput(globals);
  if (call === null) {
    return await output.json(await upload(transport, { given, operands, fetcher: fetchDirectly }));
  }
  const first = await transport.open(call);
  await writeAnswer(first, {
    command,
    output,
    next: globals.all ? nextPage(transport, call) : null,
  });
}

type Call = Awaited<ReturnType<typeof callFor>>;
type NextPage = (cursor: string) => Promise<Response>;

const nextPage = (transport: Transport, call: Call): NextPage => (cursor) => {
  const query = new URLSearchParams(call.query);
  query.set("cursor", cursor);
  query.delete("page");
  return transport.open({ ...call, query });
};

/** Writes an answer. @param next Requests the next page; null to write only one. */
async function writeAnswer(
  first: Response,
  { command, output, next }: { command: Command; output: Output; next: NextPage | null },
): Promise<void> {
  if (command.isFile) return await output.stream(first.body);
  let { data } = await envelopeOf(first);
  if (next === null) return await output.json(data);
  for (;;) {
    for (const item of data.items) await output.line(item);
    if (data.nextCursor === null) return;
    ({ data } = await envelopeOf(await next(data.nextCursor)));
  }
}

/** `fetch` without redirects, which would send the token to another server. */
const fetchDirectly: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the origin of the server. Throws {@linkcode UsageError}. */
function serverUrl({ url: given, allowHttp }: GlobalOptions, source: string): string {
  const text = given ?? readEnv("CORBEL_URL") ?? (/^https?:/.test(source) ? source : undefined);
  if (text === undefined) throw new UsageError("Say where Corbel is: --url URL, or CORBEL_URL.");
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("--url must be an address that begins with https:// or http://.");
  }
  if (url.protocol === "http:" && !LOCAL.includes(url.hostname) && !allowHttp) {
    throw new UsageError(
      `The token would cross the network to ${url.hostname} unencrypted: use https, or say ` +
        "--allow-http.",
    );
  }
  return url.origin;
}

const TOKEN = /^corbel_pat_[A-Za-z0-9_-]{43}$/;

/** Resolves to the personal access token. Throws {@linkcode UsageError}. */
async function readToken({ tokenFile }: GlobalOptions, inputs: Inputs): Promise<string> {
  const text = tokenFile === undefined ? readEnv("CORBEL_TOKEN") : await inputs.file(tokenFile);
  const token = text?.trim();
  if (!token) {
    throw new UsageError(
      "Set CORBEL_TOKEN to a personal access token, or use --token-file FILE. Create one on your " +
        "account's page in the dashboard.",
    );
  }
  if (TOKEN.test(token)) return token;
  throw new UsageError("This is not a personal access token: those begin with corbel_pat_.");
}

/** Returns an environment variable; undefined if it is unset, empty or may not be read. */
function readEnv(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}

function failureText(error: unknown, isJson: boolean): string {
  if (!(error instanceof CorbelError)) return `corbel: ${(error as Error).message}`;
  const { code, status, requestId, faults, cause } = error;
  const message = cause instanceof Deno.errors.NotCapable ? cause.message : error.message;
  if (isJson) return JSON.stringify({ code, message, status, requestId, faults });
  return [
    `corbel: ${message}`,
    ...faults.map(({ path, message }) => `  ${path || "all"}: ${message}`),
    `  ${[code, ...status > 0 ? [status] : []].join(" ")}${
      requestId === null ? "" : `, request ${requestId}`
    }`,
  ].join("\n");
}
