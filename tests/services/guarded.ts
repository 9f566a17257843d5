/** Servers of the tests' own, none of which outlives whoever started it. */

export interface Running {
  readonly pid: number;
  hasEnded(): boolean;
  /** The last of what it said. */
  output(): string;
  /** This signal, after some seconds SIGKILL, and the end. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const STOP_MS = 5000;
const OUTPUT_CHARACTERS = 20_000;

/**
 * Becomes the server, beside a guard: where standard input ends without a word, whoever started
 * the server is gone, and the guard removes both server and folder. The guard never outlives its
 * server for long, so the process id is still the server's.
 */
const GUARDED = `folder=$1; shift; exec 3<&0
{ read -r _ <&3 || { kill -KILL $$; sleep 1; [ -z "$folder" ] || rm -rf "$folder"; }; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Starts a server.
 * @param own Its folder, to be removed when whoever started it is gone; null leaves everything.
 */
export function launch(
  words: readonly string[],
  own: string | null,
  env: Readonly<Record<string, string>> = {},
): Running {
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
    // The guard went first.
  }
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It ended by itself in this moment.
  }
}

/** A loopback port that nobody listens on at the moment. */
export function freePort(): number {
  for (;;) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    // A port is free until its server listens: of two that start at once each needs its own.
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

const given = new Set<number>();
