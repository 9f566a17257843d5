import assert from "node:assert/strict";
import { until } from "./acceptance/until.ts";
import { hostsOf } from "./run.ts";
import { findS3 } from "./services/ceph.ts";
import { findMongodb } from "./services/mongodb.ts";
import { startMongodb } from "./services/mongodb_server.ts";

const STEP_MS = 60_000;

Deno.test("tests may connect to this machine and to the hosts of the given address", () => {
  const here = ["127.0.0.1", "localhost"];
  assert.deepEqual(hostsOf(null), here);
  assert.deepEqual(hostsOf("mongodb://a:1,b/x?y=z"), [...here, "a:1", "b"]);
  assert.deepEqual(hostsOf("mongodb://u:p@a:1"), [...here, "a:1"]);
  assert.equal(hostsOf("mongodb+srv://cluster.example"), null);
  assert.deepEqual(hostsOf(null, "https://id:secret@s3.example:9000"), [
    ...here,
    "s3.example:9000",
  ]);
});

interface Runner extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly temporary: string;
  /** Returns the text that the running test wrote; empty before. */
  note(): Promise<string>;
  output(): string;
  errors(): string;
  end(): Promise<Deno.CommandStatus>;
}

/** Starts the runner on one test file with its own temporary folder. */
async function startRunner(
  test: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Runner> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-runner-" });
  const temporary = `${folder}/temporary`;
  const note = `${folder}/note`;
  await Deno.mkdir(temporary);
  const file = `${folder}/one_test.ts`;
  await Deno.writeTextFile(file, test.replaceAll("NOTE", JSON.stringify(note)));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...["net", "read", "write", "env", "run", "sys"].map((name) => `--allow-${name}`),
      new URL("run.ts", import.meta.url).pathname,
      "--no-check",
      ...flags,
      file,
    ],
    cwd: new URL("../", import.meta.url),
    env: {
      TMPDIR: temporary,
      MONGODB_TEST_URL: "",
      S3_TEST_URL: "",
      CI: "",
      NO_COLOR: "1",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = { stdout: "", stderr: "" };
  const collect = async (name: keyof typeof said) => {
    for await (const text of child[name].pipeThrough(new TextDecoderStream())) said[name] += text;
  };
  const collected = Promise.all([collect("stdout"), collect("stderr")]);
  const end = async () => {
    await collected;
    return await child.status;
  };
  return {
    child,
    temporary,
    note: () => Deno.readTextFile(note).catch(() => ""),
    output: () => said.stdout,
    errors: () => said.stderr,
    end,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // The runner has just ended.
      }
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const NOTING = `Deno.writeTextFileSync(NOTE, ["MONGODB_TEST_URL", "S3_TEST_URL"]
  .map((name) => Deno.env.get(name) || "none").join("\\n"));`;
const leftFiles = ({ temporary }: Runner) =>
  [...Deno.readDirSync(temporary)].map(({ name }) => name);
const environment = { ...Deno.env.toObject(), MONGODB_TEST_URL: "", S3_TEST_URL: "" };
const ignore = await findMongodb(environment) === null || await findS3(environment) === null;

/** Returns, for each address, whether a server listens. */
const listening = (note: string): Promise<boolean[]> =>
  Promise.all(note.split("\n").map((url) => accepts(url)));

async function accepts(url: string): Promise<boolean> {
  try {
    using _connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(url).port),
    });
    return true;
  } catch {
    return false;
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test({
    name: `a run that ${signal} stops leaves no server and no file`,
    ignore,
    async fn() {
      const hanging = `Deno.test("hangs", () => { ${NOTING} return new Promise(() => {
        setTimeout(() => {}, 600_000);
      }); });`;
      await using runner = await startRunner(hanging);
      await until("the test runs", async () => await runner.note() !== "", STEP_MS);
      const note = await runner.note();
      assert.deepEqual(await listening(note), [true, true]);
      runner.child.kill(signal);
      assert.notEqual((await runner.end()).code, 0);
      assert.deepEqual(await listening(note), [false, false]);
      assert.deepEqual(leftFiles(runner), []);
    },
  });
}

Deno.test({
  name: "a run with a failed test ends with its counts and a failure code, and leaves nothing",
  ignore,
  async fn() {
    const failing = `Deno.test("fails", () => { ${NOTING}
      Deno.makeTempDirSync();
      throw new Error("as it should");
    });
    Deno.test("passes", () => {});`;
    await using runner = await startRunner(failing);
    assert.equal((await runner.end()).code, 1);
    assert.equal(runner.output().trimEnd().split("\n").at(-1), "1 passed, 1 failed");
    assert.match(runner.output(), /\n *\d+\.\d \S*one_test\.ts\n/, "seconds of its file");
    const [, told] = runner.output().split("== The embedded engine: what failed\n");
    assert.match(told!, /Error: as it should[\s\S]* FAILURES\s+fails => /);
    assert.deepEqual(await listening(await runner.note()), [false, false]);
    assert.deepEqual(leftFiles(runner), []);
  },
});

Deno.test({
  name: "a stuck test is named and fails the run",
  ignore,
  async fn() {
    const stuck = `Deno.test("blocks its thread", () => { ${NOTING} for (;;); });`;
    await using runner = await startRunner(stuck, { CORBEL_TEST_SILENCE_SECONDS: "10" });
    assert.equal((await runner.end()).code, 1);
    assert.match(runner.output(), /pending:\s+blocks its thread => /);
    assert.equal(runner.output().trimEnd().split("\n").at(-1), "0 passed, 1 failed");
    assert.deepEqual(await listening(await runner.note()), [false, false]);
    assert.deepEqual(leftFiles(runner), []);
  },
});

for (
  const [name, url] of [
    ["MONGODB_TEST_URL", "mongodb://ann:hunter2@127.0.0.1:1"],
    ["S3_TEST_URL", "http://ann:hunter2@127.0.0.1:1"],
  ] as const
) {
  Deno.test(`${name}: an address without a server is reported at once, without its password`, async () => {
    await using runner = await startRunner(`Deno.test("runs", () => { ${NOTING} });`, {
      [name]: url,
    });
    assert.equal((await runner.end()).code, 1);
    assert.match(runner.errors(), new RegExp(`${name}.*127\\.0\\.0\\.1:1`));
    assert.doesNotMatch(runner.errors(), /hunter2|^\s+at /m);
    assert.equal(await runner.note(), "", "no test was run");
    assert.deepEqual(leftFiles(runner), []);
  });
}

for (const CI of ["", "true"]) {
  const outcome = CI === ""
    ? "is reported with its installation command"
    : "is a failure with CI=true";
  Deno.test(`a missing MongoDB or S3 server ${outcome}`, async () => {
    const passing = `Deno.test("passes", () => { ${NOTING} });`;
    await using runner = await startRunner(passing, {
      CI,
      PATH: "/nowhere",
      CORBEL_SERVICES_DIR: "/nowhere",
    });
    const { code } = await runner.end();
    const lines = runner.output().trimEnd().split("\n");
    const [time, last] = lines.slice(-2);
    for (const name of ["MongoDB", "Ceph"]) {
      const reason = new RegExp(`^Left out: .*${name}.*deno task services$`);
      assert.ok(lines.some((line) => reason.test(line)), runner.output());
    }
    assert.match(time!, /^\d+ seconds in all$/);
    assert.deepEqual(
      [code, last],
      CI === "" ? [0, "1 passed, 0 failed"] : [1, "1 passed, 2 failed"],
    );
    assert.equal(await runner.note(), "none\nnone");
    assert.deepEqual(leftFiles(runner), []);
  });
}

for (const CI of ["", "true"]) {
  const outcome = CI === "" ? "left out" : "failures with CI=true";
  Deno.test({
    name: `tests of MongoDB faults are ${outcome} if only an address is given`,
    ignore,
    async fn() {
      const fixture = new URL("faults/fixture.ts", import.meta.url);
      const spoiling = `import { faultTest } from "${fixture}";
        faultTest("goes wrong", async () => { ${NOTING} });`;
      await using server = await startMongodb();
      await using runner = await startRunner(spoiling, {
        CI,
        MONGODB_TEST_URL: server.url,
        PATH: "/nowhere",
        CORBEL_SERVICES_DIR: "/nowhere",
      });
      const { code } = await runner.end();
      const lines = runner.output().trimEnd().split("\n");
      assert.deepEqual(
        [code, lines.at(-1)],
        CI === "" ? [0, "0 passed, 0 failed"] : [1, "0 passed, 2 failed"],
      );
      const reason = /^Left out: .*MongoDB that goes wrong.*deno task services$/;
      assert.ok(lines.some((line) => reason.test(line)), runner.output());
      if (CI !== "") assert.match(runner.output(), /Error: Left out: .*MongoDB that goes wrong/);
      assert.equal(await runner.note(), "");
    },
  });
}

for (const CI of ["", "true"]) {
  const outcome = CI === ""
    ? "is reported with its installation command"
    : "is a failure with CI=true";
  Deno.test(`a missing language of the full matrix ${outcome}`, async () => {
    const [mod, languages] = ["mod", "languages"]
      .map((name) => new URL(`services/${name}.ts`, import.meta.url));
    const generating = `import { require } from "${mod}";
      import { node } from "${languages}";
      const ignore = await require(node) === null;
      Deno.test({ name: "generates", ignore, fn() { ${NOTING} } });`;
    const env = { CI, PATH: "/nowhere", CORBEL_SERVICES_DIR: "/nowhere" };
    await using runner = await startRunner(generating, env, ["--all"]);
    const { code } = await runner.end();
    const lines = runner.output().trimEnd().split("\n");
    assert.deepEqual(
      [code, lines.at(-1)],
      CI === "" ? [0, "0 passed, 0 failed"] : [1, "0 passed, 3 failed"],
    );
    assert.ok(lines.some((line) => /^Left out: the TypeScript client, .*apt-get/.test(line)));
    assert.equal(await runner.note(), "");
  });
}
