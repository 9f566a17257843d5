/** Servers of tests that stop when the process that started them ends. */

export interface RunningServer {
  readonly pid: number;
  hasEnded(): boolean;
  output(): string;
  /** Sends the signal, and SIGKILL after some seconds. Resolves when the server has ended. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const STOP_MS = 5000;
const OUTPUT_CHARACTERS = 20_000;

/**
 * Shell script that becomes the server and starts a guard. If standard input ends without a
 * message, the process that started the server is gone, and the guard kills the server and removes
 * its folder. The guard ends soon after its server, so it cannot kill a reused process id.
 */
const GUARDED = `folder=$1; shift; exec 3<&0
{ read -r _ <&3 || { kill -KILL $$; sleep 1; [ -z "$folder" ] || rm -rf "$folder"; }; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Starts a server.
 * @param own Its folder, which is removed if the process that started it ends; null to remove
 * nothing.
 */
export function launch(
  words: readonly string[],
  own: string | null,
  env: Readonly<Record<string, string>> = {},
): RunningServer {
  const child = new Deno.Command("sh", {
    args: ["-c", GUARDED, "sh", own ?? "", ...words],
    env: { ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output = (output + text).slice(-OUTPUT_CHARACTERS);
    }
  };
  let hasEnded = false;
  const ended = (async () => {
    const read = Promise.all([collect(child.stdout), collect(child.stderr)]);
    await child.status;
    hasEnded = true;
    await dismissGuard(child.stdin);
    await read;
  })();
  return {
    pid: child.pid,
    hasEnded: () => hasEnded,
    output: () => output,
    async end(signal) {
      if (!hasEnded) send(child, signal);
      const timer = setTimeout(() => hasEnded || send(child, "SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function dismissGuard(stdin: WritableStream<Uint8Array>): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode("over\n"));
    await writer.close();
  } catch {
    // The guard has already ended.
  }
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The server has just ended.
  }
}

/** Returns a loopback port that is currently free. */
export function freePort(): number {
  for (;;) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    // A port stays free until its server listens. Servers that start concurrently need different
    // ones.
    if (usedPorts.has(port)) continue;
    usedPorts.add(port);
    return port;
  }
}

const usedPorts = new Set<number>();
