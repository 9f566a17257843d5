import { MongoClient } from "mongodb";
import { freePort, launch, type RunningServer } from "./guarded.ts";
import { findMongodbProgram, type MongodbProgram } from "./mongodb.ts";

export interface MongodbOptions {
  /** Whether commits wait for the disk, for tests that kill the server. `mongod` always waits. */
  readonly syncOnCommit?: boolean;
  /** Whether the server is not a member of a replica set. Corbel refuses such a server. */
  readonly standalone?: boolean;
  /** Whether clients must sign in. The server has no users. */
  readonly auth?: boolean;
  /** Data folder of an earlier server, kept at the end; by default a temporary folder. */
  readonly folder?: string;
  /** Port number; by default a free port. */
  readonly port?: number;
  /** Time limit in milliseconds until the server takes writes; 30 s by default. */
  readonly withinMs?: number;
  /** Program to start; by default the one that {@linkcode findMongodbProgram} finds. */
  readonly program?: MongodbProgram;
}

/** A server that takes writes. Disposing it calls {@linkcode stop} and removes its own folder. */
export interface Mongodb extends AsyncDisposable {
  /** Address with the name of the replica set and without a database. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** Sends SIGTERM, and SIGKILL after some seconds. Resolves when the server has ended. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the end. The files stay until the server is disposed. */
  kill(): Promise<void>;
}

const HOST = "127.0.0.1";
const REPLICA_SET = "corbel";
const START_MS = 30_000;
const LOOK_EVERY_MS = 20;
/** Maximum number of ports that are tried. */
const PORT_TRIES = 5;

/** MongoDB's error code for a replica set that was initiated before. */
const ALREADY_INITIALIZED = 23;

/**
 * Starts a server on the loopback address and waits until it takes writes. On a timeout, stops the
 * server, removes its folder, and throws with its output.
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
      // An empty file keeps the stand-in from using a configuration of this machine.
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
    // No other member has to take over when this primary stops.
    words.push("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0");
    if (!standalone) words.push("--replSet", REPLICA_SET);
    if (auth) words.push("--auth", "--keyFile", keyFileOf(folder));
    return words;
  }
  words.push("--host", HOST, "--storage-path", folder, "--config", configOf(folder));
  // A log file is allocated in full. A bulk of 8 MiB with its changes does not fit in a cache of
  // 256M.
  words.push("--enable-test-commands", "--log-file-max", "16MB", "--cache-size", "1G");
  if (standalone) words.push("--standalone");
  if (auth) words.push("--auth");
  if (syncOnCommit) words.push("--sync-on-commit");
  return words;
}

/** Path of the key by which members of a replica set with authentication identify each other. */
const keyFileOf = (folder: string): string => `${folder}/members.key`;

const configOf = (folder: string): string => `${folder}/secantusd.toml`;

/**
 * Waits until the server takes writes. Resolves to the name of its replica set, or null. Throws
 * with the error or the missing state on a timeout.
 */
async function untilWritable(
  port: number,
  running: RunningServer,
  { kind }: MongodbProgram,
  { standalone = false, auth = false, withinMs = START_MS }: MongodbOptions,
): Promise<string | null> {
  const giveUp = performance.now() + withinMs;
  const until = async (holds: () => Promise<boolean>) => {
    for (;;) {
      if (running.hasEnded()) throw new Error("ended");
      // While the server ends, another process that took the port may answer.
      if (await holds() && !running.hasEnded()) return;
      if (performance.now() > giveUp) throw new Error(`takes no writes after ${withinMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  // A client that cannot connect waits half a second before it tries again.
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
  // The clocks of the suites are in another year, so the server would remove records too early.
  if (!auth) await admin.command({ setParameter: 1, ttlMonitorEnabled: false });
  return replicaSet;
}

async function accepts(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: HOST, port });
    return true;
  } catch {
    return false; // The server does not listen yet.
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
