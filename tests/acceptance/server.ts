/** Runs server processes and commands with the arguments and permissions of the tasks. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { permittedPaths } from "@/permissions.ts";
import { createTestStore, database, type TestStore } from "../support/test_store.ts";
import { until } from "./until.ts";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const ENTRY = `${CHECKOUT}main.ts`;
const HOST = "127.0.0.1";
const STOP_MS = 20_000;
const PORT_TRIES = 5;

/** Environment variables that Deno itself needs. No setting of the tests is passed on. */
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME"];

export type Settings = Readonly<Record<string, string>>;

export interface ServerOptions {
  readonly task?: "start" | "dev";
  /** Store to share or keep. By default, a new store is removed at the end. */
  readonly store?: TestStore;
  /** Working directory. SQLite then uses the default folder, `data`. */
  readonly cwd?: string;
  readonly settings?: Settings;
  /** Limit of file descriptors. By default, the limit of the test process. */
  readonly descriptors?: number;
  /** Port of an earlier server. By default, an unused port. */
  readonly port?: number;
}

export interface ProcessResult {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessResult>;
  hasEnded(): boolean;
  stdout(): string;
  stderr(): string;
  signal(signal: Deno.Signal): void;
}

/** A process that answers `/api/health`. */
export interface Server extends RunningProcess, AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly store: TestStore;
  /** Settings of the process, for commands on its store. */
  readonly settings: Settings;
  readonly http: Deno.HttpClient;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<ProcessResult>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<ProcessResult>;
}

/** Starts a task without waiting. The caller must end it. */
export async function run(
  task: "start" | "dev" | "admin",
  words: readonly string[],
  { settings, cwd = CHECKOUT, stdin = null, descriptors }: {
    settings: Settings;
    cwd?: string;
    stdin?: string | Uint8Array | null;
    descriptors?: number;
  },
): Promise<RunningProcess> {
  const inherited = INHERITED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const line = [Deno.execPath(), ...await taskArguments(task, settings), ...words];
  const [program, ...args] = descriptors === undefined
    ? line
    : ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh", ...line];
  const child = new Deno.Command(program!, {
    args,
    cwd,
    clearEnv: true,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...settings },
    stdin: stdin === null ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = { stdout: "", stderr: "" };
  let isOver = false;
  const ended = (async () => {
    const [status] = await Promise.all([
      child.status,
      collect(child.stdout, (text) => said.stdout += text),
      collect(child.stderr, (text) => said.stderr += text),
      stdin === null ? null : writeInput(child.stdin, stdin),
    ]);
    isOver = true;
    return { code: status.code, signal: status.signal, ...said };
  })();
  return {
    pid: child.pid,
    ended,
    hasEnded: () => isOver,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    signal: (signal) => child.kill(signal),
  };
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const store = options.store ?? await createTestStore();
  const cleanUp = async () => {
    if (options.store === undefined) await store[Symbol.asyncDispose]();
  };
  for (let tries = 1;; tries++) {
    const server = await launch(options, store, cleanUp);
    let failure = "does not answer";
    try {
      await until("ready", () => isReady(server));
      if (!server.hasEnded()) return server;
      failure = `ended with code ${(await server.ended).code}`;
    } catch {
      // Reported below, with the output of the process.
    }
    server.http.close();
    const { stdout, stderr } = await endProcess(server, "SIGKILL");
    if (tries < PORT_TRIES && /in use/i.test(stderr)) continue;
    await cleanUp();
    throw new Error(`The server ${failure}:\n${stdout}${stderr}`);
  }
}

async function launch(
  { task = "start", cwd, settings: chosen, descriptors, port = freePort() }: ServerOptions,
  store: TestStore,
  cleanUp: () => Promise<void>,
): Promise<Server> {
  const given = { PORT: String(port), REGISTRATION: "open", ...chosen };
  const takesDefault = cwd !== undefined && database === "sqlite";
  const settings: Settings = {
    ...(takesDefault
      ? { DATABASE_URL: `sqlite:${cwd}/data`, STORAGE_URL: `file:${cwd}/data/files` }
      : store.settings),
    ...given,
  };
  const passedOn = takesDefault ? given : settings;
  const running = await run(task, [], {
    settings: passedOn,
    ...(cwd !== undefined && { cwd }),
    ...(descriptors !== undefined && { descriptors }),
  });
  const http = Deno.createHttpClient({});
  return {
    ...running,
    port,
    url: `http://${HOST}:${port}`,
    store,
    settings,
    http,
    stop: () => endProcess(running, "SIGTERM"),
    kill: () => endProcess(running, "SIGKILL"),
    async [Symbol.asyncDispose]() {
      http.close();
      await endProcess(running, "SIGTERM");
      await cleanUp();
    },
  };
}

export function freePort(): number {
  using listener = Deno.listen({ hostname: HOST, port: 0 });
  return listener.addr.port;
}

export async function acceptsConnections(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: HOST, port });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

/** Runs a command that may fail. `words` omits `--json`. */
export async function runAdmin(
  words: readonly string[],
  settings: Settings,
  stdin: string | Uint8Array | null = null,
): Promise<ProcessResult> {
  const running = await run("admin", [...words, "--json"], { settings, stdin });
  return await running.ended;
}

/** Runs a command that must succeed, and returns the object that it prints. */
export async function admin(
  words: readonly string[],
  settings: Settings,
  stdin: string | null = null,
  // deno-lint-ignore no-explicit-any -- Every command answers another shape.
): Promise<any> {
  const { code, stdout, stderr } = await runAdmin(words, settings, stdin);
  assert.equal(code, 0, `admin ${words.join(" ")} failed: ${stderr}`);
  assert.match(stdout, /^\{[^\n]*\}\n$/, "standard output must be one line with one object");
  return JSON.parse(stdout);
}

/** Matches how a task inserts the paths of a permission, within quotes. */
const PERMITTED_PATHS = /\$\(deno run [^)]* permissions\.ts (\w+)\)/g;

/** Returns the arguments of a task's command, with the permissions for these settings. */
export async function taskArguments(task: string, settings: Settings): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${CHECKOUT}deno.json`));
  const command: string = tasks[task].command
    .replaceAll(PERMITTED_PATHS, (_: string, kind: string) => permittedPaths(kind, settings));
  const [program, ...args] = command.match(/"[^"]*"|\S+/g)!.map((arg) => arg.replaceAll('"', ""));
  assert.equal(program, "deno");
  assert.ok(args.includes("main.ts"), `the task ${task} must run main.ts`);
  assert.ok(!args.some((arg) => arg.includes("$(")), `the task ${task} asks for something else`);
  return args.map((arg) => arg === "main.ts" ? ENTRY : arg);
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  add: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) add(text);
}

async function writeInput(
  stdin: WritableStream<Uint8Array>,
  given: string | Uint8Array,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(typeof given === "string" ? new TextEncoder().encode(given) : given);
    await writer.close();
  } catch (error) {
    // A command that refuses its options does not read standard input.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/**
 * Returns whether the server is ready or has ended. The server's output must name the port, because
 * another process may have taken the port.
 */
async function isReady(server: Server): Promise<boolean> {
  if (server.hasEnded()) return true;
  if (!server.stdout().includes(String(server.port))) return false;
  try {
    const response = await fetch(`${server.url}/api/health`, { client: server.http });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function endProcess(running: RunningProcess, signal: Deno.Signal): Promise<ProcessResult> {
  if (running.hasEnded()) return await running.ended;
  try {
    running.signal(signal);
  } catch {
    // The process has just ended by itself.
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), STOP_MS));
  const first = await Promise.race([running.ended, late]);
  clearTimeout(timer);
  if (first !== "late") return first;
  running.signal("SIGKILL");
  return await running.ended;
}
