/**
 * `deno task test`: every suite on the embedded engine, those that see an engine only from outside
 * once more on MongoDB, and those about files once more with a bucket. Arguments are files and folders as `deno test` takes them;
 * `--name=value` is handed on.
 */

import { findS3 } from "./services/ceph.ts";
import { startCeph } from "./services/ceph_server.ts";
import { findMongodb } from "./services/mongodb.ts";
import { startMongodb } from "./services/mongodb_server.ts";
import { leftOut, mongodb, s3, SERVICES } from "./services/mod.ts";
import { assertAnswers } from "./support/mongodb.ts";
import { assertS3Answers } from "./support/s3.ts";

const PERMISSIONS = ["read", "write", "env", "run", "sys", "ffi"].map((name) => `--allow-${name}`);
const ALWAYS = ["--parallel", "--sanitize-ops", "--sanitize-resources", ...PERMISSIONS];

/** A run that says nothing for so long is stuck: a test in it waits for what never comes. */
const SILENCE_SECONDS = 300;
/** For a run that was told to stop to name the tests it left; one that is stuck may not listen. */
const FAREWELL_MS = 10_000;

/** Of an output, enough for its summary and what it says of failures. */
const OUTPUT_CHARACTERS = 30_000;
const FAILURE_CHARACTERS = 8_000;

const EVERYTHING = ["lib", "tests"];
const BOTH_ENGINES = [
  "tests/api",
  "tests/pages",
  "tests/property",
  "tests/acceptance",
  "tests/attacks",
];

/** By what suites are called, which is by operation and journey. */
const ABOUT_FILES = /upload|file|storage|reaper|quota/;
/** What only a folder needs, and what takes a bucket in any run. */
const ABOUT_ONE_STORE = /^(?:put_blob|serve_file|disk|s3)_/;

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

// deno-lint-ignore no-control-regex -- Colours are escape sequences.
const withoutColours = (output: string): string => output.replaceAll(/\x1b\[[0-9;]*m/g, "");

/**
 * What the last summary in an output of `deno test` says; null if it has none. A run that failed
 * without a failed test, say by a file that could not be loaded, failed once.
 */
export function countsOf(output: string, success: boolean): Counts | null {
  const summary = [
    ...withoutColours(output).matchAll(/^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm),
  ].at(-1);
  if (summary === undefined) return null;
  const failed = Number(summary[2]);
  return { passed: Number(summary[1]), failed: success ? failed : Math.max(failed, 1) };
}

/** The last of what an output of `deno test` says of its failures: errors, then names. */
export function failuresOf(output: string): string {
  const plain = withoutColours(output);
  const errors = plain.lastIndexOf("\n ERRORS \n");
  return plain.slice(Math.max(errors, 0)).trim().slice(-FAILURE_CHARACTERS);
}

/** Which of these files run on MongoDB as well: not those about the files of SQLite. */
export const onBothEngines = (files: readonly string[]): string[] =>
  files.filter((path) =>
    BOTH_ENGINES.some((folder) => path.startsWith(`${folder}/`)) && /_test\.ts$/.test(path) &&
    !/\/sqlite_[^/]*$/.test(path)
  );

/**
 * Which of these files run once more with files in a bucket: those about files, but not those
 * about one kind of store, as attacks on its addresses are.
 */
export const inBucket = (files: readonly string[]): string[] =>
  onBothEngines(files).filter((path) => {
    const [, room, name] = path.split("/");
    return room !== "attacks" && ABOUT_FILES.test(name!) && !ABOUT_ONE_STORE.test(name!);
  });

/** Hosts with ports that a test may speak to; null if only the resolver knows them. */
export function hostsOf(mongodbUrl: string | null, s3Url: string | null = null): string[] | null {
  const hosts = ["127.0.0.1", "localhost"];
  if (s3Url !== null) hosts.push(new URL(s3Url).host);
  if (mongodbUrl === null) return hosts;
  if (mongodbUrl.startsWith("mongodb+srv:")) return null;
  const given = /^mongodb:\/\/(?:[^/?]*@)?([^/?]+)/.exec(mongodbUrl)?.[1];
  return [...hosts, ...(given === undefined ? [] : given.split(","))];
}

interface Run {
  readonly title: string;
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Paths as given, with folders replaced by the files below them. */
async function filesOf(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""))) {
    const isFolder = await Deno.stat(path).then((info) => info.isDirectory, () => false);
    if (!isFolder) found.push(path);
    else {for await (const { name } of Deno.readDir(path)) {
        found.push(...await filesOf([`${path}/${name}`]));
      }}
  }
  return found.sort();
}

/** Told once more at the end, where one looks first. */
const failures: string[] = [];

/** Exit codes of a run that was stopped. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 };

/** Every process that runs for us, to be told when we are. */
const children = new Set<Deno.ChildProcess>();
let stoppedBy: keyof typeof STOPPED | null = null;

async function runTests({ title, paths, env }: Run, flags: readonly string[]): Promise<Counts> {
  if (stoppedBy !== null) return { passed: 0, failed: 0 };
  console.log(`== ${title}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...ALWAYS, ...flags, ...paths],
    env: { ...env },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  children.add(child);
  let output = "";
  const decoder = new TextDecoder();
  const silenceMs = Number(Deno.env.get("CORBEL_TEST_SILENCE_SECONDS") || SILENCE_SECONDS) * 1000;
  let silence = setTimeout(() => stopStuck(child), silenceMs);
  for await (const bytes of child.stdout) {
    clearTimeout(silence);
    silence = setTimeout(() => stopStuck(child), silenceMs);
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
    output = (output + decoder.decode(bytes, { stream: true })).slice(-OUTPUT_CHARACTERS);
  }
  const { success } = await child.status;
  clearTimeout(silence);
  children.delete(child);
  const counts = countsOf(output, success);
  if (counts === null) console.log(`FAILED: ${title}: the run did not finish`);
  if (!success) failures.push(`== ${title}: what failed\n${failuresOf(output)}`);
  return counts ?? { passed: 0, failed: 1 };
}

/** Resolves to the sums of all runs. */
async function runAll(args: readonly string[]): Promise<Counts> {
  const environment = Deno.env.toObject();
  const found = await findMongodb(environment);
  const given = found?.kind === "address" ? found.url : null;
  if (given !== null) await assertAnswers(given);
  await using own = found === null || found.kind === "address"
    ? null
    : await startMongodb({ program: found });
  const url = given ?? own?.url ?? null;
  const foundS3 = await findS3(environment);
  if (foundS3?.kind === "address") await assertS3Answers(foundS3.url);
  await using ceph = foundS3 === null || foundS3.kind === "address"
    ? null
    : await startCeph({ programs: foundS3 });
  const s3Url = foundS3?.kind === "address" ? foundS3.url : ceph?.url ?? null;
  const hosts = hostsOf(url, s3Url);
  const flags = [
    hosts === null ? "--allow-net" : `--allow-net=${hosts}`,
    ...args.filter((arg) => arg.startsWith("-")),
  ];
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const paths = filters.length > 0 ? filters : EVERYTHING;
  const again = onBothEngines(await filesOf(paths));

  const onSqlite = {
    CORBEL_TEST_DATABASE: "sqlite",
    CORBEL_TEST_STORAGE: "disk",
    ...(url !== null && { MONGODB_TEST_URL: url }),
    ...(s3Url !== null && { S3_TEST_URL: s3Url }),
  };
  const counts = [await runTests({ title: "The embedded engine", paths, env: onSqlite }, flags)];
  if (url !== null && again.length > 0) {
    const env = { ...onSqlite, CORBEL_TEST_DATABASE: "mongodb" };
    counts.push(await runTests({ title: "MongoDB", paths: again, env }, flags));
  }
  const buckets = s3Url === null ? [] : inBucket(again);
  if (buckets.length > 0) {
    const env = { ...onSqlite, CORBEL_TEST_STORAGE: "s3" };
    counts.push(await runTests({ title: "Files in a bucket", paths: buckets, env }, flags));
  }
  // Of a journey, every engine meets every store of files.
  const journeys = buckets.filter((path) => path.startsWith("tests/acceptance/"));
  if (url !== null && journeys.length > 0) {
    const env = { ...onSqlite, CORBEL_TEST_DATABASE: "mongodb", CORBEL_TEST_STORAGE: "s3" };
    counts.push(
      await runTests({ title: "MongoDB, files in a bucket", paths: journeys, env }, flags),
    );
  }
  for (const service of SERVICES) {
    if (await service.find(environment) !== null) continue;
    console.log(leftOut(service));
    // A test that needs a browser fails by itself.
    if ((service === mongodb || service === s3) && environment.CI === "true") {
      counts.push({ passed: 0, failed: 1 });
    }
  }
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

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

async function main(): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      stoppedBy = signal;
      for (const child of children) forward(child, signal);
    });
  }
  // Tests that are cut off leave things behind; here they are found again.
  const folder = await Deno.makeTempDir({ prefix: "corbel-run-" });
  Deno.env.set("TMPDIR", folder);
  try {
    const { passed, failed } = await runAll(Deno.args);
    if (stoppedBy !== null) return STOPPED[stoppedBy];
    for (const failure of failures) console.log(failure);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  } finally {
    // Servers that tests were cut off from may still be writing.
    await Deno.remove(folder, { recursive: true }).catch((error) => console.error(error.message));
  }
}

if (import.meta.main) Deno.exit(await main());
