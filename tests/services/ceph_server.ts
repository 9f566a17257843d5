/**
 * S3 servers of the tests: Ceph with one monitor, one store in memory, and its object gateway. It
 * checks signatures, lengths, types and expiry as strictly as AWS does.
 */

import { type CephPrograms, findCephPrograms } from "./ceph.ts";
import { freePort, launch, type RunningServer } from "./guarded.ts";
import { isFile } from "./programs.ts";

export interface CephOptions {
  /** Programs to start; by default those that {@linkcode findCephPrograms} finds. */
  readonly programs?: CephPrograms;
  /** Time limit for the start in milliseconds; 60 s by default. */
  readonly withinMs?: number;
}

/** A running gateway. Disposing it kills its processes and removes their files. */
export interface Ceph extends AsyncDisposable {
  /** `http://<key id>:<secret>@127.0.0.1:<port>`, in the format of `S3_TEST_URL`. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly pids: readonly number[];
  /** Kills only the gateway: from then on no server answers at its address. */
  killGateway(): Promise<void>;
}

const HOST = "127.0.0.1";
const START_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** Maximum number of ports that are tried. */
const PORT_TRIES = 5;
const LOG_CHARACTERS = 4000;
/** Id of the cluster. Any id works, because each cluster has its own folder and ports. */
const CLUSTER = "11111111-2222-3333-4444-555555555555";
const OSD = "99999999-2222-3333-4444-555555555555";

interface Ports {
  readonly monitor: number;
  readonly gateway: number;
}

/**
 * Starts a gateway on the loopback address and waits until it answers. On a timeout, stops all
 * programs, removes their files, and throws with their output.
 */
export async function startCeph(options: CephOptions = {}): Promise<Ceph> {
  const programs = options.programs ?? await findCephPrograms(Deno.env.toObject());
  if (programs === null) throw new Error("There is no Ceph: run `deno task services`");
  for (let tries = 1;; tries++) {
    const folder = await Deno.makeTempDir({ prefix: "corbel-ceph-" });
    const running: RunningServer[] = [];
    const cleanUp = async () => {
      await Promise.all(running.map((program) => program.end("SIGKILL")));
      await Deno.remove(folder, { recursive: true });
    };
    try {
      const ports = { monitor: freePort(), gateway: freePort() };
      const secret = crypto.getRandomValues(new Uint8Array(20)).toHex();
      const keys = { id: "corbel-tests", secret };
      const cluster = createCluster({ programs, folder, ports, running, ...options });
      await cluster.start(keys);
      const gateway = running.at(-1)!;
      return {
        url: `http://${keys.id}:${keys.secret}@${HOST}:${ports.gateway}`,
        port: ports.gateway,
        folder,
        pids: running.map(({ pid }) => pid),
        killGateway: () => gateway.end("SIGKILL"),
        [Symbol.asyncDispose]: cleanUp,
      };
    } catch (error) {
      const said = running.map((program) => program.output()).join("") + await logsIn(folder);
      await cleanUp();
      if (/in use/i.test(said) && tries < PORT_TRIES) continue;
      throw new Error(`Ceph ${(error as Error).message}. It said:\n${said}`, { cause: error });
    }
  }
}

interface Cluster {
  readonly programs: CephPrograms;
  readonly folder: string;
  readonly ports: Ports;
  /** Started programs; the gateway is the last. */
  readonly running: RunningServer[];
  readonly withinMs?: number;
}

function createCluster({ programs, folder, ports, running, withinMs = START_MS }: Cluster) {
  const giveUp = AbortSignal.timeout(withinMs);
  const late = new Error(`does not answer after ${withinMs} ms`);
  let env: Record<string, string> = {};

  async function run(...[program, ...args]: [string, ...string[]]): Promise<void> {
    const ended = await new Deno.Command(program, { args, env, stdin: "null", signal: giveUp })
      .output();
    if (giveUp.aborted) throw late;
    if (ended.success) return;
    throw new Error(
      `cannot start, ${program} failed: ${
        new TextDecoder().decode(ended.stderr).slice(0, LOG_CHARACTERS)
      }`,
    );
  }

  /** Starts a program in the foreground, as a child process that can be stopped. */
  const serve = (...words: [string, ...string[]]) =>
    running.push(launch([...words, "-f"], folder, env));

  async function untilAnswers(): Promise<void> {
    using client = Deno.createHttpClient({});
    for (;;) {
      if (running.some((program) => program.hasEnded())) throw new Error("ended");
      if (giveUp.aborted) throw late;
      try {
        const response = await fetch(`http://${HOST}:${ports.gateway}/`, { client });
        await response.body?.cancel();
        if (response.ok && !running.at(-1)!.hasEnded()) return;
      } catch {
        // The gateway does not listen yet.
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  return {
    async start(keys: { id: string; secret: string }): Promise<void> {
      const libraries = await librariesOf(programs);
      for (const name of ["mon", "osd"]) await Deno.mkdir(`${folder}/${name}`);
      await Deno.writeTextFile(`${folder}/ceph.conf`, settings(folder, ports, libraries));
      env = { ...environment(programs, libraries), CEPH_CONF: `${folder}/ceph.conf` };
      const map = `${folder}/monmap`;
      const address = `[v2:${HOST}:${ports.monitor}]`;
      await run(
        "monmaptool",
        "--create",
        "--clobber",
        "--fsid",
        CLUSTER,
        "--addv",
        "a",
        address,
        map,
      );
      await run("ceph-mon", "-i", "a", "--mkfs", "--monmap", map);
      serve("ceph-mon", "-i", "a");
      await run(...await commandLine(programs), "osd", "new", OSD);
      await run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", OSD);
      serve("ceph-osd", "-i", "0");
      const { id, secret } = keys;
      const names = ["--uid", id, "--display-name", id, "--access-key", id, "--secret-key", secret];
      await run("radosgw-admin", "user", "create", ...names);
      serve("radosgw", "-n", "client.rgw");
      await untilAnswers();
    },
  };
}

/** Returns the folder of shared libraries below a root; null for the machine's own. */
async function librariesOf({ root }: CephPrograms): Promise<string | null> {
  if (root === "") return null;
  for await (const { name } of Deno.readDir(`${root}/usr/lib`)) {
    if (/-linux-gnu/.test(name)) return `${root}/usr/lib/${name}`;
  }
  throw new Error(`has no libraries below ${root}: remove it and run \`deno task services\` again`);
}

/** Returns the command that administers a cluster: a script for Python, maybe unpacked too. */
async function commandLine({ root }: CephPrograms): Promise<[string, ...string[]]> {
  const isUnpacked = root !== "" && await isFile(`${root}/usr/bin/python3`);
  return isUnpacked ? ["python3", `${root}/usr/bin/ceph`] : ["ceph"];
}

function environment({ root }: CephPrograms, libraries: string | null): Record<string, string> {
  if (libraries === null) return {};
  const triplet = libraries.split("/").at(-1)!;
  return {
    PATH: `${root}/usr/bin:${Deno.env.get("PATH") ?? ""}`,
    LD_LIBRARY_PATH: `${libraries}:${root}/lib/${triplet}:${libraries}/ceph`,
    PYTHONPATH: `${root}/usr/lib/python3/dist-packages`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

const settings = (folder: string, ports: Ports, libraries: string | null): string =>
  `[global]
fsid = ${CLUSTER}
mon_host = v2:${HOST}:${ports.monitor}/0
mon_initial_members = a
public_addr = ${HOST}
cluster_addr = ${HOST}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
# The gateway asks for a connection that is secured by keys; there are none.
ms_mon_client_mode = crc
ms_mon_service_mode = crc
ms_mon_cluster_mode = crc
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
run_dir = ${folder}
# The path of a socket must be short, and it is not used.
admin_socket =
log_file = ${folder}/$name.log
mon_cluster_log_file = ${folder}/cluster.log
mon_data = ${folder}/mon
osd_data = ${folder}/osd
crash_dir = ${folder}
${
    libraries === null ? "" : `erasure_code_dir = ${libraries}/ceph/erasure-code
plugin_dir = ${libraries}/ceph
osd_class_dir = ${libraries}/rados-classes`
  }
[mon]
# These two take the start from 12 s to about one.
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
mon_data_avail_warn = 1
mon_data_avail_crit = 1
[osd]
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_memory_target = 939524096
[client]
rgw_frontends = beast endpoint=${HOST}:${ports.gateway}
rgw_thread_pool_size = 32
rgw_run_sync_thread = false
rgw_enable_quota_threads = false
`;

async function logsIn(folder: string): Promise<string> {
  let text = "";
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".log")) continue;
    text += `${name}:\n${(await Deno.readTextFile(`${folder}/${name}`)).slice(-LOG_CHARACTERS)}\n`;
  }
  return text;
}
