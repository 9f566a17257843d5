/** MongoDB servers of the tests' own. */

import { MongoClient } from "mongodb";
import { findMongodbProgram, type MongodbProgram } from "./mongodb.ts";

export interface MongodbOptions {
  /** Each commit waits for the disk, for tests that kill the server. `mongod` always does so. */
  readonly syncOnCommit?: boolean;
  /** No member of a replica set: what Corbel refuses. */
  readonly standalone?: boolean;
  /** Who does not sign in may do nothing; there are no users. */
  readonly auth?: boolean;
  /** To start on what another left; it stays. By default a new one that is removed at the end. */
  readonly folder?: string;
  /** By default a free one. */
  readonly port?: number;
  /** How long it may take until it takes writes; 30 s by default. */
  readonly withinMs?: number;
  /** By default the one that {@linkcode findMongodbProgram} finds. */
  readonly program?: MongodbProgram;
}

/** A server that takes writes. Disposing it is {@linkcode stop}, and removes its own folder. */
export interface Mongodb extends AsyncDisposable {
  /** With the name of the replica set and no database. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** SIGTERM, after some seconds SIGKILL, and the end. */
  stop(): Promise<void>;
  /** SIGKILL, and the end: what a crash leaves stays in the folder until it is disposed. */
  kill(): Promise<void>;
}

const HOST = "127.0.0.1";
const REPLICA_SET = "corbel";
const START_MS = 30_000;
const STOP_MS = 5000;
const LOOK_EVERY_MS = 20;
const PORT_TRIES = 5;
const OUTPUT_CHARACTERS = 20_000;

/** MongoDB's code for a replica set that was initiated before. */
const ALREADY_INITIALIZED = 23;

/**
 * Starts a server on the loopback address, and waits until it takes writes. Throws, with what the
 * server said, when it does not in time; then nothing is left of it.
 */
export async function startMongodb(options: MongodbOptions = {}): Promise<Mongodb> {
  const program = options.program ?? await findMongodbProgram(Deno.env.toObject());
  if (program === null) throw new Error("There is no MongoDB: run `deno task services`");
  const own = options.folder === undefined
    ? await Deno.makeTempDir({ prefix: "corbel-mongodb-" })
    : null;
  const cleanUp = async () => {
    if (own !== null) await Deno.remove(own, { recursive: true });
  };
  const folder = own ?? options.folder!;
  try {
    for (let tries = 1;; tries++) {
      const port = options.port ?? freePort();
      // An empty one keeps the stand-in from looking for one on this machine.
      await Deno.writeTextFile(configOf(folder), "");
      if (options.auth) {
        await Deno.writeTextFile(keyFileOf(folder), "members of tests", { mode: 0o600 });
      }
      const running = launch(argumentsOf(program, { ...options, folder, port }), own);
      try {
        const replicaSet = await untilWritable(port, running, program, options);
        return {
          url: `mongodb://${HOST}:${port}/${replicaSet ? `?replicaSet=${replicaSet}` : ""}`,
          port,
          folder,
          pid: running.pid,
          stop: () => running.end("SIGTERM"),
          kill: () => running.end("SIGKILL"),
          async [Symbol.asyncDispose]() {
            await running.end("SIGTERM");
            await cleanUp();
          },
        };
      } catch (error) {
        await running.end("SIGKILL");
        const isTaken = options.port === undefined && /in use/i.test(running.output());
        if (isTaken && tries < PORT_TRIES) continue;
        const said = `It said:\n${running.output()}`;
        throw new Error(`${program.path} ${(error as Error).message}. ${said}`, { cause: error });
      }
    }
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

function argumentsOf(
  { kind, path }: MongodbProgram,
  { folder, port, standalone, syncOnCommit, auth }:
    & MongodbOptions
    & { folder: string; port: number },
): string[] {
  const words = [path, "--port", String(port)];
  if (kind === "mongod") {
    words.push("--bind_ip", HOST, "--dbpath", folder);
    words.push("--setParameter", "enableTestCommands=1");
    // Nobody has to be told that this primary goes.
    words.push("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0");
    if (!standalone) words.push("--replSet", REPLICA_SET);
    if (auth) words.push("--auth", "--keyFile", keyFileOf(folder));
    return words;
  }
  words.push("--host", HOST, "--storage-path", folder, "--config", configOf(folder));
  // A log file is allocated in full.
  words.push("--enable-test-commands", "--log-file-max", "16MB", "--cache-size", "256M");
  if (standalone) words.push("--standalone");
  if (auth) words.push("--auth");
  if (syncOnCommit) words.push("--sync-on-commit");
  return words;
}

/** Members of a replica set that asks for users know each other by it. */
const keyFileOf = (folder: string): string => `${folder}/members.key`;

const configOf = (folder: string): string => `${folder}/secantusd.toml`;

interface Running {
  readonly pid: number;
  hasEnded(): boolean;
  /** The last of what it said. */
  output(): string;
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/**
 * Becomes the server, beside a guard: where standard input ends without a word, whoever started
 * the server is gone, and the guard removes both server and folder. The guard never outlives its
 * server for long, so the process id is still the server's.
 */
const GUARDED = `folder=$1; shift; exec 3<&0
{ read -r _ <&3 || { kill -KILL $$; sleep 1; [ -z "$folder" ] || rm -rf "$folder"; }; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

function launch(words: readonly string[], own: string | null): Running {
  const child = new Deno.Command("sh", {
    args: ["-c", GUARDED, "sh", own ?? "", ...words],
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

/** Resolves to the name of the replica set, if it is one. Throws what the server did or does not. */
async function untilWritable(
  port: number,
  running: Running,
  { kind }: MongodbProgram,
  { standalone = false, auth = false, withinMs = START_MS }: MongodbOptions,
): Promise<string | null> {
  const giveUp = performance.now() + withinMs;
  const until = async (holds: () => Promise<boolean>) => {
    for (;;) {
      if (running.hasEnded()) throw new Error("ended");
      // Whoever else took the port may answer in its place while it ends.
      if (await holds() && !running.hasEnded()) return;
      if (performance.now() > giveUp) throw new Error(`takes no writes after ${withinMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  // A client that finds nobody tries again only after half a second.
  await until(() => accepts(port));
  await using client = new MongoClient(`mongodb://${HOST}:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: withinMs,
  });
  const admin = client.db("admin");
  if (kind === "mongod" && !standalone) await initiate(admin, port);
  let replicaSet: string | null = null;
  await until(async () => {
    const { isWritablePrimary, setName = null } = await admin.command({ hello: 1 });
    replicaSet = setName;
    return isWritablePrimary;
  });
  // The suites' clocks stand in another year: what has expired for the server has not for them.
  if (!auth) await admin.command({ setParameter: 1, ttlMonitorEnabled: false });
  return replicaSet;
}

async function accepts(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: HOST, port });
    return true;
  } catch {
    return false; // Not listening yet.
  }
}

async function initiate(admin: ReturnType<MongoClient["db"]>, port: number): Promise<void> {
  const members = [{ _id: 0, host: `${HOST}:${port}` }];
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== ALREADY_INITIALIZED) throw error;
  }
}

/** A port that nobody listens on at the moment. */
function freePort(): number {
  using listener = Deno.listen({ hostname: HOST, port: 0 });
  return listener.addr.port;
}
