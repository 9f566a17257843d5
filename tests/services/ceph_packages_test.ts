import assert from "node:assert/strict";
import { cephFolder, findCephPrograms } from "./ceph.ts";
import { unpackCeph } from "./ceph_packages.ts";

/** Output of apt-get for packages to install, and for others to configure. */
const PLAN = `NOTE: This is only a simulation!
Inst librados2 (16.2.15 Debian:12/oldstable [amd64])
Inst python3-rados (16.2.15 Debian:12/oldstable [amd64])
Inst lvm2 (2.03 Debian:12/oldstable [amd64])
Inst sudo (1.9 Debian:12/oldstable [amd64])
Inst ceph-mon (16.2.15 Debian:12/oldstable [amd64]) []
Inst radosgw (16.2.15 Debian:12/oldstable [amd64])
Conf librados2 (16.2.15 Debian:12/oldstable [amd64])`;

const DOWNLOAD = 'for name; do :; done; for name in librados2 radosgw; do : > "$name.deb"; done';
const UNPACK = 'mkdir -p "$3/usr/bin" "$3/usr/share/doc"; for name in ceph ceph-mon ceph-osd ' +
  'monmaptool radosgw radosgw-admin; do : > "$3/usr/bin/$name"; done';

interface Scripts {
  /** Script of `apt-get install --simulate`. */
  readonly plan?: string;
  readonly download?: string;
  readonly unpack?: string;
}

/** Creates a machine whose `apt-get` and `dpkg-deb` are scripts; null leaves both out. */
async function machineWith(scripts: Scripts | null) {
  const folder = await Deno.makeTempDir({ prefix: "corbel-services-" });
  const cache = `${folder}/cache`;
  const env = { PATH: `${folder}/bin`, HOME: folder, CORBEL_SERVICES_DIR: cache };
  const said: string[] = [];
  const put = (name: string, script: string) =>
    Deno.writeTextFile(
      `${folder}/bin/${name}`,
      `#!/bin/sh\nPATH=/usr/bin:/bin; echo "${name} $*" >> ${folder}/calls\n${script}\n`,
      { mode: 0o755 },
    );
  await Deno.mkdir(`${folder}/bin`);
  await Deno.writeTextFile(`${folder}/plan`, PLAN);
  if (scripts !== null) {
    const { plan = `cat ${folder}/plan`, download = DOWNLOAD, unpack = UNPACK } = scripts;
    const cases = `install) ${plan};; download) ${download};; esac`;
    await put("apt-get", `case "$1" in ${cases.replaceAll("FOLDER", folder)}`);
    await put("dpkg-deb", unpack);
  }
  return {
    env,
    said,
    unpack: (signal?: AbortSignal) =>
      unpackCeph(env, { say: (line) => void said.push(line), ...(signal && { signal }) }),
    calls: async () => (await Deno.readTextFile(`${folder}/calls`)).trimEnd().split("\n"),
    left: () => [...Deno.readDirSync(cache)].map(({ name }) => name),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("missing packages are unpacked into the cache, and nothing is installed", async () => {
  await using machine = await machineWith({});
  await machine.unpack();
  const root = await cephFolder(machine.env);
  assert.deepEqual(await findCephPrograms(machine.env), { kind: "unpacked", root });
  assert.deepEqual(machine.left(), [root.split("/").at(-1)]);
  const [plan, download, ...unpacked] = await machine.calls();
  assert.match(
    plan!,
    /^apt-get install --simulate --no-install-recommends ceph-mon ceph-osd radosgw$/,
  );
  assert.match(download!, / librados2 python3-rados ceph-mon radosgw$/);
  assert.equal(unpacked.length, 2);
  for (const call of unpacked) assert.match(call, /^dpkg-deb -x \S+\.deb \S+$/);
  assert.match(machine.said.join("\n"), /Unpacking 4 of Debian's packages into .*cache/);
});

Deno.test("missing package lists are downloaded, and the plan is made again", async () => {
  const plan = "if grep -q update FOLDER/calls; then cat FOLDER/plan; else exit 100; fi";
  await using machine = await machineWith({ plan });
  await machine.unpack();
  const calls = await machine.calls();
  assert.deepEqual(calls.slice(0, 3).map((call) => call.split(" ")[1]), [
    "install",
    "update",
    "install",
  ]);
});

Deno.test("outdated package lists are updated", async () => {
  const download = `grep -q update FOLDER/calls || exit 100; ${DOWNLOAD}`;
  await using machine = await machineWith({ download });
  await machine.unpack();
  const calls = (await machine.calls()).filter((call) => call.startsWith("apt-get"));
  const asked = calls.map((call) => call.split(" ")[1]);
  assert.deepEqual(asked, ["install", "download", "update", "install", "download"]);
});

Deno.test("a failure gives instructions and leaves no partial Ceph", async () => {
  const failures: [Scripts | null, RegExp][] = [
    [null, /no apt-get and dpkg-deb\. Install Debian's packages.*S3_TEST_URL/],
    [{ plan: "echo Unable to locate >&2; exit 100" }, /apt-get update.*root.*Unable to locate/],
    [{ download: "exit 100" }, /apt-get download.*failed.*S3_TEST_URL/],
    [{ unpack: `${UNPACK}; exit 2` }, /\.deb cannot be unpacked/],
    [{ unpack: "exit 0" }, /contain no gateway/],
  ];
  for (const [scripts, message] of failures) {
    await using machine = await machineWith(scripts);
    await assert.rejects(machine.unpack(), message);
    assert.equal(await findCephPrograms(machine.env), null);
    assert.deepEqual(await Promise.try(machine.left).catch(() => []), []);
  }
});

Deno.test("a stopped unpacking ends and leaves nothing", async () => {
  await using machine = await machineWith({ download: "exec sleep 600" });
  const stop = new AbortController();
  const reason = assert.rejects(machine.unpack(stop.signal), /stopped/);
  while (machine.said.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await reason;
  assert.deepEqual(machine.left(), []);
});

Deno.test("of two concurrent runs both succeed, and one folder stays", async () => {
  await using machine = await machineWith({});
  await Promise.all([machine.unpack(), machine.unpack()]);
  assert.equal(machine.left().length, 1);
  assert.ok(await findCephPrograms(machine.env));
});
