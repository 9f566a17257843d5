/** Starts, observes and stops the measured programs. */

export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its start to its first answer. */
  readonly startMs: number;
}

const ROOT = new URL("..", import.meta.url).pathname;
const START_TIMEOUT_MS = 20_000;
// MongoDB's driver reads the environment and the system; native code hashes passwords.
const PERMISSIONS = ["net", "read", "write", "env", "ffi", "sys"].map((name) => `--allow-${name}`);

/** The flags of `deno task start`. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=4,--heap-growing-percent=25";

/** Starts Corbel as in production, but without the limits of plans. */
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

/** Starts a program of this folder to compare with Corbel. It takes its port from `PORT`. */
export function startBare(name: string, ...args: readonly string[]): Promise<Program> {
  const all = ["run", ...PERMISSIONS, `bench/${name}.ts`, ...args];
  return startProgram(Deno.execPath(), () => all, { readyPath: "/" });
}

/**
 * Starts a server and waits for its first answer.
 * @param args Receives the port, which is in `PORT` too.
 */
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
        // The process has exited.
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

/** Reads a file of /proc with a program, because Deno would need all permissions for that. */
async function output(program: string, path: string): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args: [path] }).output();
  return new TextDecoder().decode(stdout);
}

/** Index of the user time after the program's name in /proc/PID/stat. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICKS_PER_SECOND = 100;

/** Resolves to the seconds that a process has run on all processors. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await output("cat", `/proc/${pid}/stat`)).split(") ")[1]!.split(" ");
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/**
 * Resolves to the memory of a process, in MB of 1,048,576 bytes.
 *
 * @param kind `RssAnon` excludes the pages of files, which are shared with the system's cache.
 */
export async function residentMb(
  pid: number,
  kind: "VmRSS" | "RssAnon" = "VmRSS",
): Promise<number> {
  const status = await output("cat", `/proc/${pid}/status`);
  return Math.round(Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1024);
}

export const openFilesOf = async (pid: number): Promise<number> =>
  (await output("ls", `/proc/${pid}/fd`)).trim().split("\n").length;

/** Runs a program at idle priority, which only Linux has, or at the lowest one. */
const BELOW_ALL = 'command -v chrt && exec chrt --idle 0 "$@"; exec nice -n 19 "$@"';
/** A busy loop that ends when its parent process ends. */
const LOOP = "const parent = Deno.ppid; while (Deno.ppid === parent) { " +
  "for (let i = 0; i < 1e6; i++) Atomics.pause(); }";

/**
 * Keeps the processors from halting during a measurement, by an idle-priority loop on each. On a
 * virtual machine, waking a halted processor can take 15 µs, and only the slower side of a ratio
 * would pay for it, because its load generator sleeps between two answers.
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
