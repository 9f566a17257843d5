import assert from "node:assert/strict";
import { until } from "../acceptance/until.ts";
import { assertS3Answers } from "../support/s3.ts";
import { type CephPrograms, findCephPrograms } from "./ceph.ts";
import { startCeph } from "./ceph_server.ts";
import { require, s3 } from "./mod.ts";
import { accepts, isRunning, isThere } from "./probes.ts";

const GONE_MS = 20_000;

const programs = await findCephPrograms(Deno.env.toObject());
// Prints what is left out, unless an address is set, which is enough for all other suites.
if (programs === null) await require(s3);

/** Registers a test that is ignored if there is no program to start. */
const onCeph = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name, ignore: programs === null, fn });

onCeph("a started gateway accepts only its account", async () => {
  await using ceph = await startCeph();
  await assertS3Answers(ceph.url);
  await assert.rejects(assertS3Answers(ceph.url.replace(/:[0-9a-f]+@/, ":wrong@")), /Signature/);
});

onCeph(
  "a disposed gateway is stopped with all its programs, and its folder is removed",
  async () => {
    const ceph = await startCeph();
    assert.equal(ceph.pids.length, 3);
    assert.ok(ceph.pids.every(isRunning) && await accepts(ceph.port) && await isThere(ceph.folder));
    await ceph[Symbol.asyncDispose]();
    assert.deepEqual(
      [ceph.pids.some(isRunning), await accepts(ceph.port), await isThere(ceph.folder)],
      [false, false, false],
    );
  },
);

onCeph("a killed gateway does not answer and can still be disposed", async () => {
  const ceph = await startCeph();
  await ceph.killGateway();
  assert.ok(!await accepts(ceph.port));
  await ceph[Symbol.asyncDispose]();
  assert.ok(!ceph.pids.some(isRunning) && !await isThere(ceph.folder));
});

const STARTER = `
  import { startCeph } from ${JSON.stringify(import.meta.resolve("./ceph_server.ts"))};
  const { port, folder, pids } = await startCeph();
  console.log(JSON.stringify({ port, folder, pids }));
  await new Promise((resolve) => setTimeout(resolve, 600_000));
`;

onCeph("a gateway whose starter is killed stops soon, and its folder is removed", async () => {
  const starter = new Deno.Command(Deno.execPath(), {
    args: ["eval", STARTER],
    cwd: new URL("../../", import.meta.url),
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = starter.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) said += (await reader.read()).value!;
  const { port, folder, pids } = JSON.parse(said);
  assert.ok(await accepts(port) && await isThere(folder));
  starter.kill("SIGKILL");
  await starter.status;
  await reader.cancel();
  await until("the programs are gone", () => !pids.some(isAlive), GONE_MS);
  await until("the folder is gone", async () => !await isThere(folder), GONE_MS);
});

/** Returns whether a process is running, also if it is not our child. A zombie is not running. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Creates programs in place of Ceph's, which write down their process ids and settings. */
async function withFakeCeph(
  scripts: Readonly<Record<string, string>>,
  check: (programs: CephPrograms, notes: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "corbel-services-" });
  await Deno.mkdir(`${root}/usr/bin`, { recursive: true });
  await Deno.mkdir(`${root}/usr/lib/some-linux-gnu`, { recursive: true });
  for (const name of ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"]) {
    const text = `#!/bin/sh\necho "$$ $CEPH_CONF" >> ${root}/told\n${scripts[name] ?? "exit 0"}\n`;
    await Deno.writeTextFile(`${root}/usr/bin/${name}`, text, { mode: 0o755 });
  }
  try {
    const notes = async () => (await Deno.readTextFile(`${root}/told`)).trimEnd().split("\n");
    await check({ kind: "unpacked", root }, notes);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function assertNothingLeft(notes: readonly string[]): Promise<void> {
  for (const line of notes) {
    const [pid, settings] = line.split(" ") as [string, string];
    assert.match(settings, /corbel-ceph-/);
    assert.deepEqual([isRunning(Number(pid)), await isThere(settings)], [false, false]);
  }
}

Deno.test("a program that fails is reported with its output, and nothing is left", async () => {
  const scripts = { "ceph-osd": "echo no room >&2; exit 1", "ceph-mon": serving };
  await withFakeCeph(scripts, async (programs, notes) => {
    await assert.rejects(startCeph({ programs }), /ceph-osd failed: no room/);
    await assertNothingLeft(await notes());
  });
});

/** Script of a program that is called for its setup, and again to serve. */
const serving = 'case "$*" in *-f) echo waiting; exec sleep 600;; esac';

Deno.test("a gateway that does not answer is reported with its output, and nothing is left", async () => {
  const scripts = { "ceph-mon": serving, "ceph-osd": serving, radosgw: serving };
  await withFakeCeph(scripts, async (programs, notes) => {
    await assert.rejects(
      startCeph({ programs, withinMs: 700 }),
      /does not answer after 700 ms[^]*waiting/,
    );
    await assertNothingLeft(await notes());
  });
});

Deno.test("a port that another process took in the meantime is replaced", async () => {
  const scripts = {
    "ceph-mon": serving,
    "ceph-osd": serving,
    radosgw: "echo 'Address already in use' >&2; exit 1",
  };
  await withFakeCeph(scripts, async (programs, notes) => {
    await assert.rejects(startCeph({ programs }), /in use/);
    const folders = new Set((await notes()).map((line) => line.split(" ")[1]));
    assert.equal(folders.size, 5);
    await assertNothingLeft(await notes());
  });
});
