/**
 * Served processes and the command line, as an operator meets them: started from the checkout
 * with the arguments of its own tasks, so with the permissions of those tasks and no others.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { permitted } from "@/permissions.ts";
import { createTestStore, database, type TestStore } from "../support/test_store.ts";
import { until } from "./until.ts";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const ENTRY = `${CHECKOUT}main.ts`;
const HOST = "127.0.0.1";
const STOP_MS = 20_000;
const PORT_TRIES = 5;

/** Of the surroundings of the tests, only what Deno itself needs: no setting leaks in. */
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME"];

/** Settings as environment variables. */
export type Settings = Readonly<Record<string, string>>;

export interface ServerOptions {
  readonly task?: "start" | "dev";
  /** To share it or keep it; by default a new one that is removed at the end. */
  readonly store?: TestStore;
  /** Runs there. SQLite is not told where to keep its files, and takes the default folder, `data`. */
  readonly cwd?: string;
  readonly settings?: Settings;
  /** The limit of its file descriptors; that of the tests if left out. */
  readonly descriptors?: number;
  /** Where one before it was; by default one that nobody listens on. */
  readonly port?: number;
}

/** What a process said and how it ended. */
export interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of ours, with its output as it comes. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  hasEnded(): boolean;
  stdout(): string;
  stderr(): string;
  signal(signal: Deno.Signal): void;
}

/** A process that answers `/api/health`. */
export interface Server extends Running, AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly store: TestStore;
  /** The settings it runs with, for commands beside it. */
  readonly settings: Settings;
  readonly http: Deno.HttpClient;
  /** SIGTERM, and the end. */
  stop(): Promise<Ended>;
  /** SIGKILL, and the end. */
  kill(): Promise<Ended>;
}

/** Starts a task without waiting for anything. It is the caller's to end. */
export async function run(
  task: "start" | "dev" | "admin",
  words: readonly string[],
  { settings, cwd = CHECKOUT, stdin = null, descriptors }: {
    settings: Settings;
    cwd?: string;
    stdin?: string | Uint8Array | null;
    descriptors?: number;
  },
): Promise<Running> {
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
      stdin === null ? null : feed(child.stdin, stdin),
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

/** Starts a server on a free port, and waits until it answers. */
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
      // Told below, with what the process said.
    }
    server.http.close();
    const { stdout, stderr } = await end(server, "SIGKILL");
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
  const told = takesDefault ? given : settings;
  const running = await run(task, [], {
    settings: told,
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
    stop: () => end(running, "SIGTERM"),
    kill: () => end(running, "SIGKILL"),
    async [Symbol.asyncDispose]() {
      http.close();
      await end(running, "SIGTERM");
      await cleanUp();
    },
  };
}

/** A port that nobody listens on at the moment. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: HOST, port: 0 });
  return listener.addr.port;
}

/** Whether something accepts connections on the port. */
export async function accepts(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: HOST, port });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

/** A command that may be refused; `words` without `--json`. */
export async function adminEnd(
  words: readonly string[],
  settings: Settings,
  stdin: string | Uint8Array | null = null,
): Promise<Ended> {
  const running = await run("admin", [...words, "--json"], { settings, stdin });
  return await running.ended;
}

/** A command that must succeed: the object on its one line of standard output. */
export async function admin(
  words: readonly string[],
  settings: Settings,
  stdin: string | null = null,
  // deno-lint-ignore no-explicit-any -- Every command answers another shape.
): Promise<any> {
  const { code, stdout, stderr } = await adminEnd(words, settings, stdin);
  assert.equal(code, 0, `admin ${words.join(" ")} failed: ${stderr}`);
  assert.match(stdout, /^\{[^\n]*\}\n$/, "standard output must be one line with one object");
  return JSON.parse(stdout);
}

/** How a task asks for the paths of a permission, within quotes. */
const ASKED_FOR = /\$\(deno run [^)]* permissions\.ts (\w+)\)/g;

/** What the task's own line gives Deno, with what these settings permit in it. */
export async function taskArguments(task: string, settings: Settings): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${CHECKOUT}deno.json`));
  const command: string = tasks[task].command
    .replaceAll(ASKED_FOR, (_: string, kind: string) => permitted(kind, settings));
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

async function feed(
  stdin: WritableStream<Uint8Array>,
  given: string | Uint8Array,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(typeof given === "string" ? new TextEncoder().encode(given) : given);
    await writer.close();
  } catch (error) {
    // A command that refuses its options does not read.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/**
 * Ready, or over. Its own word for the port is asked for too: another process may have taken the
 * port in between and answer in its place.
 */
async function isReady(server: Server): Promise<boolean> {
  if (server.hasEnded()) return true;
  if (!server.stdout().includes(String(server.port))) return false;
  try {
    const response = await fetch(`${server.url}/api/health`, { client: server.http });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false; // Not listening yet.
  }
}

async function end(running: Running, signal: Deno.Signal): Promise<Ended> {
  if (running.hasEnded()) return await running.ended;
  try {
    running.signal(signal);
  } catch {
    // It ended by itself in this moment.
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), STOP_MS));
  const first = await Promise.race([running.ended, late]);
  clearTimeout(timer);
  if (first !== "late") return first;
  running.signal("SIGKILL");
  return await running.ended;
}
