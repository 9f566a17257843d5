/** Starting, asking and stopping the programs that are measured. */

export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its start to its first answer. */
  readonly startMs: number;
}

const ROOT = new URL("..", import.meta.url).pathname;
const START_TIMEOUT_MS = 20_000;
// The driver of MongoDB reads the environment and the system; passwords are hashed by native code.
const PERMISSIONS = ["net", "read", "write", "env", "ffi", "sys"].map((name) => `--allow-${name}`);

/** As `deno task start` has them. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=4,--heap-growing-percent=25";

/** Corbel as it is started for production, but without the limits of plans. */
export function startCorbel(settings: Readonly<Record<string, string>>): Promise<Program> {
  const args = [V8_FLAGS, ...PERMISSIONS, "main.ts", "start"];
  return startProgram(Deno.execPath(), () => ["run", ...args], {
    readyPath: "/api/health",
    env: {
      RATE_LIMIT_PER_MINUTE: "1000000000",
      REGISTRATION: "open",
      PLANS: "off",
      ...settings,
    },
  });
}

/** A program of this folder that is measured beside Corbel, and takes its port from `PORT`. */
export function startBare(name: string, ...args: readonly string[]): Promise<Program> {
  const all = ["run", ...PERMISSIONS, `bench/${name}.ts`, ...args];
  return startProgram(Deno.execPath(), () => all, { readyPath: "/" });
}

/** Any server; `args` is told the port, which is in its variable `PORT`, too. */
export async function startProgram(
  program: string,
  args: (port: number) => readonly string[],
  { readyPath, env = {} }: { readonly readyPath: string; readonly env?: Record<string, string> },
): Promise<Program> {
  const port = freePort();
  const started = performance.now();
  const child = new Deno.Command(program, {
    args: [...args(port)],
    cwd: ROOT,
    env: { ...env, PORT: String(port) },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  while (!await answers(url + readyPath)) {
    if (performance.now() - started > START_TIMEOUT_MS) {
      child.kill("SIGKILL");
      const command = [program, ...args(port)].join(" ");
      throw new Error(`Not ready within ${START_TIMEOUT_MS} ms: ${command}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - started,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGTERM");
      } catch {
        // It has ended by itself.
      }
      await child.status;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Deno itself reads nothing below /proc without every permission. */
async function output(program: string, path: string): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args: [path] }).output();
  return new TextDecoder().decode(stdout);
}

/** Places behind the program's name. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICKS_PER_SECOND = 100;

/** Seconds that a process has run on all processors together. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await output("cat", `/proc/${pid}/stat`)).split(") ")[1]!.split(" ");
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/**
 * Memory of a process, in MB of 1,048,576 bytes.
 *
 * @param kind `RssAnon` is without the pages of files, which it shares with the system's cache.
 */
export async function residentMb(
  pid: number,
  kind: "VmRSS" | "RssAnon" = "VmRSS",
): Promise<number> {
  const status = await output("cat", `/proc/${pid}/status`);
  return Math.round(Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024);
}

/** How many files, sockets and the like a process has open. */
export const openFilesOf = async (pid: number): Promise<number> =>
  (await output("ls", `/proc/${pid}/fd`)).trim().split("\n").length;

/** Only Linux knows of a scheduling below all priorities. */
const BELOW_ALL = 'command -v chrt && exec chrt --idle 0 "$@"; exec nice -n 19 "$@"';
/** Waits in place, and ends with who has started it, however that ends. */
const LOOP = "const parent = Deno.ppid; while (Deno.ppid === parent) { " +
  "for (let i = 0; i < 1e6; i++) Atomics.pause(); }";

/**
 * Keeps the processors from halting while something is measured, by a loop on each that gives way
 * to everything else. On a virtual machine it can cost 15 µs to wake a halted one, and only the
 * slower side of a ratio would pay it: its load generator has time to sleep between two answers.
 */
export function keepAwake(): AsyncDisposable {
  const loops = Array.from({ length: navigator.hardwareConcurrency }, () =>
    new Deno.Command("sh", {
      args: ["-c", BELOW_ALL, "sh", Deno.execPath(), "eval", LOOP],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn());
  return {
    async [Symbol.asyncDispose]() {
      for (const loop of loops) loop.kill("SIGKILL");
      await Promise.all(loops.map((loop) => loop.status));
    },
  };
}
