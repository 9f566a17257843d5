import assert from "node:assert/strict";
import { until } from "../acceptance/until.ts";
import { assertS3Answers } from "../support/s3.ts";
import { type CephPrograms, findCephPrograms } from "./ceph.ts";
import { startCeph } from "./ceph_server.ts";
import { require, s3 } from "./mod.ts";
import { accepts, isRunning, isThere } from "./probes.ts";

const GONE_MS = 20_000;

const programs = await findCephPrograms(Deno.env.toObject());
// Says what is left out, unless an address was given: that is enough for all the other suites.
if (programs === null) await require(s3);

/** Left out where there is no program to start. */
const onCeph = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name, ignore: programs === null, fn });

onCeph("a started gateway lets its account in and nobody else", async () => {
  await using ceph = await startCeph();
  await assertS3Answers(ceph.url);
  await assert.rejects(assertS3Answers(ceph.url.replace(/:[0-9a-f]+@/, ":wrong@")), /Signature/);
});

onCeph("a disposed gateway is stopped with all its programs, and its folder is gone", async () => {
  const ceph = await startCeph();
  assert.equal(ceph.pids.length, 3);
  assert.ok(ceph.pids.every(isRunning) && await accepts(ceph.port) && await isThere(ceph.folder));
  await ceph[Symbol.asyncDispose]();
  assert.deepEqual(
    [ceph.pids.some(isRunning), await accepts(ceph.port), await isThere(ceph.folder)],
    [false, false, false],
  );
});

onCeph("a gateway that was killed answers nobody, and is still removed whole", async () => {
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

onCeph("a gateway whose starter was killed is gone soon, and its folder too", async () => {
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

/** Also of a process that is not our child: one that ended and waits for nobody is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Programs in place of Ceph's, each of which writes down its process id and settings. */
async function failing(
  scripts: Readonly<Record<string, string>>,
  check: (programs: CephPrograms, told: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "corbel-services-" });
  await Deno.mkdir(`${root}/usr/bin`, { recursive: true });
  await Deno.mkdir(`${root}/usr/lib/some-linux-gnu`, { recursive: true });
  for (const name of ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"]) {
    const text = `#!/bin/sh\necho "$$ $CEPH_CONF" >> ${root}/told\n${scripts[name] ?? "exit 0"}\n`;
    await Deno.writeTextFile(`${root}/usr/bin/${name}`, text, { mode: 0o755 });
  }
  try {
    const told = async () => (await Deno.readTextFile(`${root}/told`)).trimEnd().split("\n");
    await check({ kind: "unpacked", root }, told);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function assertNothingLeft(told: readonly string[]): Promise<void> {
  for (const line of told) {
    const [pid, settings] = line.split(" ") as [string, string];
    assert.match(settings, /corbel-ceph-/);
    assert.deepEqual([isRunning(Number(pid)), await isThere(settings)], [false, false]);
  }
}

Deno.test("of a program that fails what it said is told, and nothing is left", async () => {
  const scripts = { "ceph-osd": "echo no room >&2; exit 1", "ceph-mon": serving };
  await failing(scripts, async (programs, told) => {
    await assert.rejects(startCeph({ programs }), /ceph-osd failed: no room/);
    await assertNothingLeft(await told());
  });
});

/** Of a program that is called to set itself up, and again to serve. */
const serving = 'case "$*" in *-f) echo waiting; exec sleep 600;; esac';

Deno.test("of a gateway that never answers what was said is told, and nothing is left", async () => {
  const scripts = { "ceph-mon": serving, "ceph-osd": serving, radosgw: serving };
  await failing(scripts, async (programs, told) => {
    await assert.rejects(
      startCeph({ programs, withinMs: 700 }),
      /does not answer after 700 ms[^]*waiting/,
    );
    await assertNothingLeft(await told());
  });
});

Deno.test("a port that somebody took in the meantime is given up for another", async () => {
  const scripts = {
    "ceph-mon": serving,
    "ceph-osd": serving,
    radosgw: "echo 'Address already in use' >&2; exit 1",
  };
  await failing(scripts, async (programs, told) => {
    await assert.rejects(startCeph({ programs }), /in use/);
    const folders = new Set((await told()).map((line) => line.split(" ")[1]));
    assert.equal(folders.size, 5);
    await assertNothingLeft(await told());
  });
});
