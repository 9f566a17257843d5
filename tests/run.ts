/**
 * `deno task test`: every suite on the embedded engine, and a chosen set of those that see engine
 * and store only from outside on MongoDB, with files in a bucket, and on both; with `--all` every
 * suite wherever it can run. Arguments are files and folders, which run in every pass that they
 * fit; `--name=value` is handed on to `deno test`.
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
/** Types are checked once, before. */
const ALWAYS = [
  "--no-check",
  "--sanitize-ops",
  "--sanitize-resources",
  "--trace-leaks",
  ...PERMISSIONS,
];

/** A run that says nothing for so long is stuck: a test in it waits for what never comes. */
const SILENCE_SECONDS = 300;
/** For a run that was told to stop to name the tests it left; one that is stuck may not listen. */
const FAREWELL_MS = 10_000;

/** Arguments that are not handed on. */
const OURS = ["--all", "--no-check"];

/** Cases of each property. */
const CASES = { short: 100, all: 500 };

/** Hosts with ports that a test may speak to; null if only the resolver knows them. */
export function hostsOf(mongodbUrl: string | null, s3Url: string | null = null): string[] | null {
  const hosts = ["127.0.0.1", "localhost"];
  if (s3Url !== null) hosts.push(new URL(s3Url).host);
  if (mongodbUrl === null) return hosts;
  if (mongodbUrl.startsWith("mongodb+srv:")) return null;
  const given = /^mongodb:\/\/(?:[^/?]*@)?([^/?]+)/.exec(mongodbUrl)?.[1];
  return [...hosts, ...(given === undefined ? [] : given.split(","))];
}

const normalized = (path: string): string => path.replace(/^\.\//, "").replace(/(?<=.)\/$/, "");

/** Exit codes of a run that was stopped. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 };

/** Every process that runs for us, to be told when we are. */
const children = new Set<Deno.ChildProcess>();
let stoppedBy: keyof typeof STOPPED | null = null;

function forward(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It ended by itself in this moment.
  }
}

/** It says which tests were pending, and ends. */
function stopStuck(child: Deno.ChildProcess): void {
  forward(child, "SIGINT");
  const killing = setTimeout(() => forward(child, "SIGKILL"), FAREWELL_MS);
  child.status.finally(() => clearTimeout(killing));
}

interface Ran {
  readonly pass: Pass;
  readonly counts: Counts;
  /** By the file that declares the tests. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly failures: string | null;
}

interface RunOptions {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What serves MongoDB to the shards; null where an address was given, or nothing does. */
  readonly mongodb: MongodbProgram | null;
}

/**
 * Runs a shard, and prints its output when it is whole: those of several would mix. All its files
 * are one program: else each would load what it tests anew, and run it before it is compiled well.
 */
async function runShard(shard: Shard, { flags, env, mongodb }: RunOptions): Promise<Ran> {
  const { pass, files } = shard;
  // What a killed process has left open holds up the change streams of its server for a minute.
  await using server = mongodb !== null && needsMongodb(shard)
    ? await startMongodb({ program: mongodb })
    : null;
  const folder = await Deno.makeTempDir({ prefix: "shard-" });
  const [program, junit] = [`${folder}/shard_test.ts`, `${folder}/junit.xml`];
  const imports = files.map((file) => `import "${pathToFileURL(file)}";\n`);
  await Deno.writeTextFile(program, imports.join(""));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...ALWAYS, ...flags, `--junit-path=${junit}`, program],
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

/** How many shards run beside the others that wait most of their time. */
const IDLE_JOBS = 2;

/**
 * Runs the shards, as many at once as there are cores, and beside them some that wait most of their
 * time; when there are none left of those, one more of the others, which wait for a quarter of it.
 * With more, tests of time limits fail for want of processor time. The types are looked at
 * meanwhile. Throws where they do not hold.
 */
async function runShards(
  shards: readonly Shard[],
  options: RunOptions,
  types: () => Promise<void>,
): Promise<Ran[]> {
  const idle = shards.filter(isIdle);
  const busy = shards.filter((shard) => !isIdle(shard));
  const ran: Ran[] = [];
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

const rounded = (seconds: number): string => seconds.toFixed(1).padStart(7);

/** Seconds per pass and per file, the longest first. */
function reportTimes(passes: readonly Pass[], ran: readonly Ran[]): void {
  for (const pass of passes) {
    const own = ran.filter((one) => one.pass === pass);
    const files = own.flatMap(({ seconds }) => [...seconds]).sort(([, a], [, b]) => b - a);
    const { passed, failed } = sumOf(own.map(({ counts }) => counts));
    console.log(`== ${pass.title}: ${passed} passed, ${failed} failed, seconds of its files`);
    console.log(`${rounded(files.reduce((sum, [, seconds]) => sum + seconds, 0))} in all`);
    for (const [file, seconds] of files) console.log(`${rounded(seconds)} ${file}`);
  }
}

/** Last of all, where one looks first. */
function reportFailures(ran: readonly Ran[]): void {
  for (const { pass, failures } of ran) {
    if (failures !== null) console.log(`== ${pass.title}: what failed\n${failures}`);
  }
}

/** Throws where the types of a file do not hold. */
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
  throw new Error("The types of the tests do not hold");
}

/** Resolves to the sums of all runs. */
async function runAll(args: readonly string[]): Promise<Counts> {
  const environment = Deno.env.toObject();
  const found = await findMongodb(environment);
  const given = found?.kind === "address" ? found.url : null;
  if (given !== null) await assertAnswers(given);
  const program = found === null || found.kind === "address" ? null : found;
  const foundS3 = await findS3(environment);
  if (foundS3?.kind === "address") await assertS3Answers(foundS3.url);
  await using ceph = foundS3 === null || foundS3.kind === "address"
    ? null
    : await startCeph({ programs: foundS3 });
  const s3Url = foundS3?.kind === "address" ? foundS3.url : ceph?.url ?? null;
  const hosts = hostsOf(given, s3Url);

  const filters = args.filter((arg) => !arg.startsWith("-")).map(normalized);
  const handedOn = args.filter((arg) => arg.startsWith("-") && !OURS.includes(arg));
  const files = (await Promise.all((filters.length > 0 ? filters : ["."]).map(testFilesIn))).flat();
  const all = args.includes("--all");
  const servers = { mongodb: found !== null, s3: s3Url !== null };
  // Who names files wants to see them wherever they run.
  const passes = passesOver(files, { all: all || filters.length > 0, servers });
  const options = {
    flags: [hosts === null ? "--allow-net" : `--allow-net=${hosts}`, ...handedOn],
    env: {
      CORBEL_TEST_CASES: String(all ? CASES.all : CASES.short),
      ...(given !== null && { MONGODB_TEST_URL: given }),
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
    const whole = all ? "This run had all of that." : "`deno task test --all` runs everything.";
    console.log([...missing, whole].join("\n"));
  }
  for (const service of all ? [...SERVICES, ...LANGUAGES] : SERVICES) {
    if (await service.find(environment) !== null) continue;
    console.log(leftOut(service));
    // A test that needs a browser or a language fails by itself.
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
  // Tests that are cut off leave things behind; here they are found again.
  await using temporary = await makeTemporary();
  Deno.env.set("TMPDIR", temporary.folder);
  const began = performance.now();
  try {
    const { passed, failed } = await runAll(Deno.args);
    if (stoppedBy !== null) return STOPPED[stoppedBy];
    console.log(`${Math.round((performance.now() - began) / 1000)} seconds in all`);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main());
