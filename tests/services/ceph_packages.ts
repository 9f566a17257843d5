/**
 * Unpacks Ceph from Debian's packages into a folder without installing it. This starts no service,
 * creates no account and needs no root rights.
 */

import { cephFolder, isUnpacked } from "./ceph.ts";
import { type Environment, findProgram, servicesFolder } from "./programs.ts";
import { type InstallOptions, type ProgramEnd, run } from "./run_program.ts";

const WANTED = ["ceph-mon", "ceph-osd", "radosgw"];

/** Matches the packages that a gateway on one machine needs. Other dependencies manage disks. */
const NEEDED = /^(?:ceph|radosgw|lib|python3)/;

/** Options to download as root, which avoid a warning about folders that only root reads. */
const AS_ROOT = ["-o", "APT::Sandbox::User=root"];

const BY_HAND = `Install Debian's packages \`${WANTED.join(" ")}\` yourself, ` +
  "or set S3_TEST_URL to http://<key id>:<secret>@<host> of a gateway whose account may make buckets.";

/**
 * Unpacks the missing parts of Ceph into the cache. A temporary folder is renamed at the end, which
 * keeps an interrupted run from leaving an incomplete cache. Throws with instructions.
 */
export async function unpackCeph(env: Environment, { say, signal }: InstallOptions): Promise<void> {
  const tools = await findTools(env);
  const folder = await cephFolder(env);
  const installOptions = { say, ...(signal && { signal }) };
  let packages = await missingPackages(tools.apt, installOptions);
  await Deno.mkdir(servicesFolder(env), { recursive: true });
  const work = await Deno.makeTempDir({ dir: servicesFolder(env), prefix: ".unpacking-" });
  const root = `${work}/root`;
  const downloads = `${work}/downloads`;
  try {
    for (const path of [root, downloads]) await Deno.mkdir(path);
    say(`Unpacking ${packages.length} of Debian's packages into ${folder}`);
    const options = { ...installOptions, cwd: downloads };
    const download = () => run(tools.apt, ["download", "-qq", ...AS_ROOT, ...packages], options);
    let downloaded = await download();
    if (!downloaded.success && !signal?.aborted) {
      // Outdated package lists name packages that no longer exist.
      await run(tools.apt, ["update", "-qq"], installOptions);
      packages = await missingPackages(tools.apt, installOptions);
      downloaded = await download();
    }
    expect(downloaded, "`apt-get download` failed", signal);
    for await (const { name } of Deno.readDir(downloads)) {
      const args = ["-x", `${downloads}/${name}`, root];
      expect(await run(tools.dpkg, args, installOptions), `${name} cannot be unpacked`, signal);
    }
    for (const name of ["doc", "man"]) {
      await Deno.remove(`${root}/usr/share/${name}`, { recursive: true }).catch(() => {});
    }
    if (!await isUnpacked(root, env)) {
      throw new Error(`The packages contain no gateway. ${BY_HAND}`);
    }
    await moveIntoPlace(root, folder, env);
  } finally {
    // A program that was stopped may still be writing.
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

function expect({ success }: ProgramEnd, failure: string, signal?: AbortSignal): void {
  if (signal?.aborted) throw new Error("Unpacking was stopped");
  if (!success) throw new Error(`${failure}. ${BY_HAND}`);
}

async function findTools(env: Environment): Promise<{ apt: string; dpkg: string }> {
  const [apt, dpkg] = await Promise.all(
    ["apt-get", "dpkg-deb"].map((name) => findProgram(name, env)),
  );
  if (apt && dpkg) return { apt, dpkg };
  throw new Error(`This machine has no apt-get and dpkg-deb. ${BY_HAND}`);
}

/** Returns the needed packages that are not installed, as apt-get resolves them. */
async function missingPackages(apt: string, installOptions: InstallOptions): Promise<string[]> {
  const plan = () =>
    new Deno.Command(apt, {
      args: ["install", "--simulate", "--no-install-recommends", ...WANTED],
      env: { LC_ALL: "C" },
      stdin: "null",
      ...(installOptions.signal && { signal: installOptions.signal }),
    }).output();
  let planned = await plan();
  if (!planned.success) {
    // A fresh machine has no package lists, and only root may download them.
    await run(apt, ["update", "-qq"], installOptions);
    planned = await plan();
  }
  const decoder = new TextDecoder();
  if (!planned.success) {
    const said = decoder.decode(planned.stderr).trim();
    throw new Error(
      "apt-get finds no Ceph: run `apt-get update` as root and `deno task services` again. " +
        `${BY_HAND} It said: ${said}`,
    );
  }
  const names = [...decoder.decode(planned.stdout).matchAll(/^Inst (\S+) /gm)].map(([, name]) =>
    name!
  );
  return names.filter((name) => NEEDED.test(name));
}

/** Renames the folder. If another process was first, its folder stays, unless it is incomplete. */
async function moveIntoPlace(root: string, folder: string, env: Environment): Promise<void> {
  if (!await isUnpacked(folder, env)) {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
  try {
    await Deno.rename(root, folder);
  } catch (error) {
    if (!await isUnpacked(folder, env)) throw error;
  }
}
