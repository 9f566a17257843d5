/**
 * Ceph from Debian's packages, unpacked below a folder instead of installed: it starts no service,
 * makes no account and needs no rights.
 */

import { cephFolder, isUnpacked } from "./ceph.ts";
import { type Environment, findProgram, servicesFolder } from "./programs.ts";
import { type Bringing, type End, run } from "./run_program.ts";

const WANTED = ["ceph-mon", "ceph-osd", "radosgw"];

/** Of all they ask for, what a gateway on one machine runs on: the rest looks after disks. */
const NEEDED = /^(?:ceph|radosgw|lib|python3)/;

/** Where root downloads, so that apt-get does not warn of a folder that only root may read. */
const AS_ROOT = ["-o", "APT::Sandbox::User=root"];

const BY_HAND = `Install Debian's packages \`${WANTED.join(" ")}\` yourself, ` +
  "or set S3_TEST_URL to http://<key id>:<secret>@<host> of a gateway whose account may make buckets.";

/**
 * Unpacks what this machine lacks of it into the cache, below a temporary root that is renamed into
 * place: an interrupted one is never taken for a finished one. Throws with what to do instead.
 */
export async function unpackCeph(env: Environment, { say, signal }: Bringing): Promise<void> {
  const tools = await findTools(env);
  const folder = await cephFolder(env);
  const bringing = { say, ...(signal && { signal }) };
  let packages = await missingPackages(tools.apt, bringing);
  await Deno.mkdir(servicesFolder(env), { recursive: true });
  const work = await Deno.makeTempDir({ dir: servicesFolder(env), prefix: ".unpacking-" });
  const root = `${work}/root`;
  const downloads = `${work}/downloads`;
  try {
    for (const path of [root, downloads]) await Deno.mkdir(path);
    say(`Unpacking ${packages.length} of Debian's packages into ${folder}`);
    const options = { ...bringing, cwd: downloads };
    const download = () => run(tools.apt, ["download", "-qq", ...AS_ROOT, ...packages], options);
    let downloaded = await download();
    if (!downloaded.success && !signal?.aborted) {
      // Lists that are old name packages that are there no more.
      await run(tools.apt, ["update", "-qq"], bringing);
      packages = await missingPackages(tools.apt, bringing);
      downloaded = await download();
    }
    expect(downloaded, "`apt-get download` failed", signal);
    for await (const { name } of Deno.readDir(downloads)) {
      const args = ["-x", `${downloads}/${name}`, root];
      expect(await run(tools.dpkg, args, bringing), `${name} cannot be unpacked`, signal);
    }
    for (const name of ["doc", "man"]) {
      await Deno.remove(`${root}/usr/share/${name}`, { recursive: true }).catch(() => {});
    }
    if (!await isUnpacked(root, env)) {
      throw new Error(`The packages brought no gateway. ${BY_HAND}`);
    }
    await moveIntoPlace(root, folder, env);
  } finally {
    // A program that was stopped may still be writing.
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

function expect({ success }: End, failure: string, signal?: AbortSignal): void {
  if (signal?.aborted) throw new Error("The unpacking was stopped");
  if (!success) throw new Error(`${failure}. ${BY_HAND}`);
}

async function findTools(env: Environment): Promise<{ apt: string; dpkg: string }> {
  const [apt, dpkg] = await Promise.all(
    ["apt-get", "dpkg-deb"].map((name) => findProgram(name, env)),
  );
  if (apt && dpkg) return { apt, dpkg };
  throw new Error(`This machine has no apt-get and dpkg-deb. ${BY_HAND}`);
}

/** Names of the packages that are needed and not installed, as apt-get itself works them out. */
async function missingPackages(apt: string, bringing: Bringing): Promise<string[]> {
  const plan = () =>
    new Deno.Command(apt, {
      args: ["install", "--simulate", "--no-install-recommends", ...WANTED],
      env: { LC_ALL: "C" },
      stdin: "null",
      ...(bringing.signal && { signal: bringing.signal }),
    }).output();
  let planned = await plan();
  if (!planned.success) {
    // On a fresh machine there are no lists yet, and only root may bring them.
    await run(apt, ["update", "-qq"], bringing);
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

/** Of two at once the first stays; one that is not whole makes room. */
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
