/**
 * `deno task test` runs every suite on the embedded engine, and selected suites on MongoDB, with
 * files in a bucket, and on both. With `--all` every suite runs wherever it can. Arguments are
 * files and folders, which run in every pass that they fit; `--name=value` is passed on to `deno
 * test`.
 */

import { pathToFileURL } from "node:url";
import { type Counts, countsOf, failuresOf, secondsOf, sumOf } from "./runner/output.ts";
import { testFilesIn } from "./runner/files.ts";
import { leftOutOf, type Pass, passesOver } from "./runner/passes.ts";
import { isIdle, needsMongodb, type Shard, shardsOf } from "./runner/shards.ts";
import { makeTemporary } from "./runner/temporary.ts";
import { findS3 } from "./services/ceph.ts";
import { startCeph } from "./services/ceph_server.ts";
import { LANGUAGES } from "./services/languages.ts";
import { findMongodb, type MongodbProgram } from "./services/mongodb.ts";
import { startMongodb } from "./services/mongodb_server.ts";
import { leftOut, mongodb, s3, SERVICES } from "./services/mod.ts";
import { assertAnswers } from "./support/mongodb.ts";
import { assertS3Answers } from "./support/s3.ts";

const PERMISSIONS = ["read", "write", "env", "run", "sys", "ffi"].map((name) => `--allow-${name}`);
/** Arguments of every run. Types are checked once before. */
const COMMON_ARGS = [
  "--no-check",
  "--sanitize-ops",
  "--sanitize-resources",
  "--trace-leaks",
  ...PERMISSIONS,
];

/** A run without output for this many seconds is stuck in a test that never ends. */
const SILENCE_SECONDS = 300;
/** Milliseconds in which a stopped run may name its pending tests. A stuck run may not react. */
const STOP_GRACE_MS = 10_000;

/** Arguments that are not passed on to `deno test`. */
const OWN_OPTIONS = ["--all", "--no-check"];

const CASES = { short: 100, all: 500 };

/** Returns the hosts with ports that tests may connect to; null if only the resolver knows them. */
export function hostsOf(mongodbUrl: string | null, s3Url: string | null = null): string[] | null {
  const hosts = ["127.0.0.1", "localhost"];
  if (s3Url !== null) hosts.push(new URL(s3Url).host);
  if (mongodbUrl === null) return hosts;
  if (mongodbUrl.startsWith("mongodb+srv:")) return null;
  const hostList = /^mongodb:\/\/(?:[^/?]*@)?([^/?]+)/.exec(mongodbUrl)?.[1];
  return [...hosts, ...(hostList === undefined ? [] : hostList.split(","))];
}

const normalizePath = (path: string): string => path.replace(/^\.\//, "").replace(/(?<=.)\/$/, "");

/** Exit codes of a run that a signal stopped. */
const STOP_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

const children = new Set<Deno.ChildProcess>();
let stoppedBy: keyof typeof STOP_EXIT_CODES | null = null;

function forward(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The child has just ended.
  }
}

/** Stops a run that prints its pending tests and ends. */
function stopStuck(child: Deno.ChildProcess): void {
  forward(child, "SIGINT");
  const killing = setTimeout(() => forward(child, "SIGKILL"), STOP_GRACE_MS);
  child.status.finally(() => clearTimeout(killing));
}

interface ShardResult {
  readonly pass: Pass;
  readonly counts: Counts;
  /** Seconds by the file that declares the tests. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly failures: string | null;
}

interface RunOptions {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Program that starts a MongoDB server per shard; null with an address or without MongoDB. */
  readonly mongodb: MongodbProgram | null;
}

/**
 * Runs a shard and prints its output at the end, so that outputs of several shards do not mix. All
 * files of a shard run in one process, because a process per file would load and compile the tested
 * code each time.
 */
async function runShard(shard: Shard, { flags, env, mongodb }: RunOptions): Promise<ShardResult> {
  const { pass, files } = shard;
  // Transactions that a killed process left open block the change streams of its server for a
  // minute.
  await using server = mongodb !== null && needsMongodb(shard)
    ? await startMongodb({ program: mongodb })
    : null;
  const folder = await Deno.makeTempDir({ prefix: "shard-" });
  const [program, junit] = [`${folder}/shard_test.ts`, `${folder}/junit.xml`];
  const imports = files.map((file) => `import "${pathToFileURL(file)}";\n`);
  await Deno.writeTextFile(program, imports.join(""));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...COMMON_ARGS, ...flags, `--junit-path=${junit}`, program],
    env: {
      ...env,
      ...(server !== null && { MONGODB_TEST_URL: server.url }),
      CORBEL_TEST_DATABASE: pass.database,
      CORBEL_TEST_STORAGE: pass.storage,
    },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  children.add(child);
  let output = "";
  const silenceMs = Number(Deno.env.get("CORBEL_TEST_SILENCE_SECONDS") || SILENCE_SECONDS) * 1000;
  let silence = setTimeout(() => stopStuck(child), silenceMs);
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    clearTimeout(silence);
    silence = setTimeout(() => stopStuck(child), silenceMs);
    output += text;
  }
  const { success } = await child.status;
  clearTimeout(silence);
  children.delete(child);
  const counts = countsOf(output, success);
  console.log(`== ${pass.title}: ${files.join(" ")}\n${output.trim()}\n`);
  if (counts === null) console.log(`FAILED: ${pass.title}: the run did not finish\n`);
  return {
    pass,
    counts: counts ?? { passed: 0, failed: 1 },
    seconds: secondsOf(await Deno.readTextFile(junit).catch(() => "")),
    failures: success ? null : failuresOf(output),
  };
}

/** Number of additional concurrent shards that need little processor time. */
const IDLE_JOBS = 2;

/**
 * Runs one shard per core, and additionally some shards that mostly wait. After those, one more of
 * the other shards runs, because shards wait for about a quarter of their time. More shards would
 * make tests of time limits fail on a busy processor. Types are checked concurrently. Throws if the
 * type check fails.
 */
async function runShards(
  shards: readonly Shard[],
  options: RunOptions,
  types: () => Promise<void>,
): Promise<ShardResult[]> {
  const idle = shards.filter(isIdle);
  const busy = shards.filter((shard) => !isIdle(shard));
  const ran: ShardResult[] = [];
  const runAllOf = async (next: () => Shard | undefined) => {
    for (let shard = next(); shard !== undefined; shard = next()) {
      if (stoppedBy !== null) return;
      ran.push(await runShard(shard, options));
    }
  };
  const jobs = Number(Deno.env.get("DENO_JOBS") || navigator.hardwareConcurrency);
  const work = () => runAllOf(() => busy.shift() ?? idle.shift());
  const wait = () => runAllOf(() => idle.shift());
  await Promise.all([
    types().then(work),
    ...Array.from({ length: jobs - 1 }, work),
    ...Array.from({ length: IDLE_JOBS - 1 }, wait),
    wait().then(work),
  ]);
  return ran;
}

const formatSeconds = (seconds: number): string => seconds.toFixed(1).padStart(7);

/** Prints the seconds per pass and per file, longest first. */
function reportTimes(passes: readonly Pass[], ran: readonly ShardResult[]): void {
  for (const pass of passes) {
    const own = ran.filter((one) => one.pass === pass);
    const files = own.flatMap(({ seconds }) => [...seconds]).sort(([, a], [, b]) => b - a);
    const { passed, failed } = sumOf(own.map(({ counts }) => counts));
    console.log(`== ${pass.title}: ${passed} passed, ${failed} failed, seconds of its files`);
    console.log(`${formatSeconds(files.reduce((sum, [, seconds]) => sum + seconds, 0))} in all`);
    for (const [file, seconds] of files) console.log(`${formatSeconds(seconds)} ${file}`);
  }
}

/** Prints the failures at the end of the output, where a reader looks first. */
function reportFailures(ran: readonly ShardResult[]): void {
  for (const { pass, failures } of ran) {
    if (failures !== null) console.log(`== ${pass.title}: what failed\n${failures}`);
  }
}

/** Throws if a file has type errors. */
async function checkTypes(files: readonly string[]): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", ...files],
    stdin: "null",
  }).spawn();
  children.add(child);
  const { success } = await child.status;
  children.delete(child);
  if (success || stoppedBy !== null) return;
  for (const child of children) forward(child, "SIGTERM");
  throw new Error("The type check of the tests failed");
}

async function runAll(args: readonly string[]): Promise<Counts> {
  const environment = Deno.env.toObject();
  const found = await findMongodb(environment);
  const givenUrl = found?.kind === "address" ? found.url : null;
  if (givenUrl !== null) await assertAnswers(givenUrl);
  const program = found === null || found.kind === "address" ? null : found;
  const foundS3 = await findS3(environment);
  if (foundS3?.kind === "address") await assertS3Answers(foundS3.url);
  await using ceph = foundS3 === null || foundS3.kind === "address"
    ? null
    : await startCeph({ programs: foundS3 });
  const s3Url = foundS3?.kind === "address" ? foundS3.url : ceph?.url ?? null;
  const hosts = hostsOf(givenUrl, s3Url);

  const filters = args.filter((arg) => !arg.startsWith("-")).map(normalizePath);
  const handedOn = args.filter((arg) => arg.startsWith("-") && !OWN_OPTIONS.includes(arg));
  const files = (await Promise.all((filters.length > 0 ? filters : ["."]).map(testFilesIn))).flat();
  const all = args.includes("--all");
  const servers = { mongodb: found !== null, s3: s3Url !== null };
  // If files are named, they run in every pass that they fit.
  const passes = passesOver(files, { all: all || filters.length > 0, servers });
  const options = {
    flags: [hosts === null ? "--allow-net" : `--allow-net=${hosts}`, ...handedOn],
    env: {
      CORBEL_TEST_CASES: String(all ? CASES.all : CASES.short),
      ...(givenUrl !== null && { MONGODB_TEST_URL: givenUrl }),
      ...(s3Url !== null && { S3_TEST_URL: s3Url }),
    },
    mongodb: program,
  };
  const ran = await runShards(
    shardsOf(passes),
    options,
    async () => {
      if (!args.includes("--no-check")) await checkTypes(files);
    },
  );
  if (stoppedBy !== null) return sumOf([]);
  reportTimes(passes, ran);
  const counts = ran.map(({ counts }) => counts);
  if (filters.length === 0) {
    const [short, full] = [false, true].map((all) => passesOver(files, { all, servers }));
    const missing = leftOutOf(short!, full!);
    missing.push(
      `Left out of the short run: ${
        CASES.all - CASES.short
      } of ${CASES.all} cases of each property, every second point at which MongoDB fails, three of four at which an upload is killed, further rounds of killed processes and uploads, and requests of the greatest length`,
    );
    const hint = all ? "This run had all of that." : "`deno task test --all` runs everything.";
    console.log([...missing, hint].join("\n"));
  }
  for (const service of all ? [...SERVICES, ...LANGUAGES] : SERVICES) {
    if (await service.find(environment) !== null) continue;
    console.log(leftOut(service));
    // Tests that need a browser or a language fail on their own.
    if ((service === mongodb || service === s3) && environment.CI === "true") {
      counts.push({ passed: 0, failed: 1 });
    }
  }
  reportFailures(ran);
  return sumOf(counts);
}

async function main(): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      stoppedBy = signal;
      for (const child of children) forward(child, signal);
    });
  }
  // Tests that are killed leave files behind, which are removed with this folder.
  await using temporary = await makeTemporary();
  Deno.env.set("TMPDIR", temporary.folder);
  const began = performance.now();
  try {
    const { passed, failed } = await runAll(Deno.args);
    if (stoppedBy !== null) return STOP_EXIT_CODES[stoppedBy];
    console.log(`${Math.round((performance.now() - began) / 1000)} seconds in all`);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main());
