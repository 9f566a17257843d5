/** Where Ceph is, whose object gateway speaks S3, in the order in which it is looked for. */

import { type Environment, findProgram, servicesFolder } from "./programs.ts";

/** A gateway that runs already. */
export interface S3Address {
  readonly kind: "address";
  /** `http://<key id>:<secret>@<host>`; the account may make buckets. */
  readonly url: string;
}

/** Programs that can be started as a gateway. */
export interface CephPrograms {
  readonly kind: "installed" | "unpacked";
  /** Below which lies what the machine itself lacks of them; empty where it lacks nothing. */
  readonly root: string;
}

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

/** `S3_TEST_URL`, else programs to start; null if there are neither. */
export async function findS3(env: Environment): Promise<S3Address | CephPrograms | null> {
  if (env.S3_TEST_URL) return { kind: "address", url: env.S3_TEST_URL };
  return await findCephPrograms(env);
}

/** Those on the PATH, else those with what the cache adds to them; null if one is missing. */
export async function findCephPrograms(env: Environment): Promise<CephPrograms | null> {
  if (await areThere(env, [])) return { kind: "installed", root: "" };
  const root = await cephFolder(env);
  return await isUnpacked(root, env) ? { kind: "unpacked", root } : null;
}

/** Whether no program is missing with those below a root. */
export const isUnpacked = (root: string, env: Environment): Promise<boolean> =>
  areThere(env, [`${root}/usr/bin`]);

async function areThere(env: Environment, others: readonly string[]): Promise<boolean> {
  const found = await Promise.all(PROGRAMS.map((name) => findProgram(name, env, others)));
  return found.every((path) => path !== null);
}

/** Where it is unpacked: apart for each release, whose libraries fit no other. */
export async function cephFolder(env: Environment): Promise<string> {
  const text = await Deno.readTextFile("/etc/os-release").catch(() => "");
  const word = (name: string) =>
    new RegExp(`^${name}="?([\\w.-]+)"?$`, "m").exec(text)?.[1] ?? "unknown";
  return `${servicesFolder(env)}/ceph-${word("ID")}-${word("VERSION_ID")}`;
}
