/** Starting, asking and stopping the programs that are measured. */

export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its start to its first answer. */
  readonly startMs: number;
}

const ROOT = new URL("..", import.meta.url).pathname;
const START_TIMEOUT_MS = 20_000;

/** Corbel as it is started for production. */
export function startCorbel(folder: string, env: Record<string, string> = {}): Promise<Program> {
  const permissions = ["--allow-net", "--allow-read", "--allow-write", "--allow-env"];
  permissions.push("--allow-ffi"); // Passwords are hashed by native code.
  // MongoDB's driver tells the server; threads for long work give way.
  permissions.push("--allow-sys=osRelease,uid,setPriority");
  const args = ["run", "--v8-flags=--max-semi-space-size=4", ...permissions, "main.ts", "start"];
  return start(args, "/api/health", {
    DATABASE_URL: `sqlite:${folder}`,
    RATE_LIMIT_PER_MINUTE: "1000000000",
    REGISTRATION: "open",
    ...env,
  });
}

/** Seconds that a process has run on all processors together. */
export async function cpuSeconds(pid: number): Promise<number> {
  // Deno reads nothing below /proc without every permission.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
  const fields = new TextDecoder().decode(stdout).split(") ")[1]!.split(" ");
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/** Places behind the program's name. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICKS_PER_SECOND = 100;

/** A program of this folder that is measured beside Corbel, and takes its port from `PORT`. */
export function startBare(name: string, ...args: readonly string[]): Promise<Program> {
  // The driver of MongoDB reads the environment and the system; passwords are hashed by native code.
  const permissions = [
    "--allow-ffi",
    "--allow-net",
    "--allow-read",
    "--allow-write",
    "--allow-env",
    "--allow-sys",
  ];
  return start(["run", ...permissions, `bench/${name}.ts`, ...args], "/", {});
}

const start = (args: readonly string[], readyPath: string, env: Record<string, string>) =>
  startProgram(Deno.execPath(), () => args, { readyPath, env });

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
      throw new Error(
        `Not ready within ${START_TIMEOUT_MS} ms: ${program} ${args(port).join(" ")}`,
      );
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

/** Resident memory of a process, in MB of 1,048,576 bytes. */
export async function residentMb(pid: number): Promise<number> {
  // Deno reads nothing below /proc without every permission; ps does.
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .output();
  return Math.round(Number(new TextDecoder().decode(stdout)) / 1024);
}

/** The same without the pages of files, which it shares with the system's cache. */
export async function anonymousMb(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
  const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(new TextDecoder().decode(stdout))!;
  return Math.round(Number(kib) / 1024);
}

/** How many files, sockets and the like a process has open. */
export async function openFilesOf(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ls", { args: [`/proc/${pid}/fd`] }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").length;
}
