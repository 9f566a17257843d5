/** MongoDB servers of the tests' own. */

import { MongoClient } from "mongodb";
import { freePort, launch, type Running } from "./guarded.ts";
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
const LOOK_EVERY_MS = 20;
const PORT_TRIES = 5;

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
  // A log file is allocated in full. In a cache of 256M a bulk of 8 MiB and its changes do not fit.
  words.push("--enable-test-commands", "--log-file-max", "16MB", "--cache-size", "1G");
  if (standalone) words.push("--standalone");
  if (auth) words.push("--auth");
  if (syncOnCommit) words.push("--sync-on-commit");
  return words;
}

/** Members of a replica set that asks for users know each other by it. */
const keyFileOf = (folder: string): string => `${folder}/members.key`;

const configOf = (folder: string): string => `${folder}/secantusd.toml`;

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
