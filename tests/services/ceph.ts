/** Finds Ceph, whose object gateway speaks S3, in an order of precedence. */

import { type Environment, findProgram, servicesFolder } from "./programs.ts";

export interface S3Address {
  readonly kind: "address";
  /** `http://<key id>:<secret>@<host>`; the account may create buckets. */
  readonly url: string;
}

export interface CephPrograms {
  readonly kind: "installed" | "unpacked";
  /** Folder with the unpacked parts that the machine lacks; empty if it lacks none. */
  readonly root: string;
}

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

/** Returns `S3_TEST_URL`, otherwise programs to start; null if both are missing. */
export async function findS3(env: Environment): Promise<S3Address | CephPrograms | null> {
  if (env.S3_TEST_URL) return { kind: "address", url: env.S3_TEST_URL };
  return await findCephPrograms(env);
}

/** Returns the programs on the PATH, complemented by those in the cache; null if one is missing. */
export async function findCephPrograms(env: Environment): Promise<CephPrograms | null> {
  if (await areThere(env, [])) return { kind: "installed", root: "" };
  const root = await cephFolder(env);
  return await isUnpacked(root, env) ? { kind: "unpacked", root } : null;
}

/** Returns whether all programs exist, on the machine or below a root. */
export const isUnpacked = (root: string, env: Environment): Promise<boolean> =>
  areThere(env, [`${root}/usr/bin`]);

async function areThere(env: Environment, others: readonly string[]): Promise<boolean> {
  const found = await Promise.all(PROGRAMS.map((name) => findProgram(name, env, others)));
  return found.every((path) => path !== null);
}

/** Returns the folder of unpacked programs of this release, whose libraries fit no other. */
export async function cephFolder(env: Environment): Promise<string> {
  const text = await Deno.readTextFile("/etc/os-release").catch(() => "");
  const word = (name: string) =>
    new RegExp(`^${name}="?([\\w.-]+)"?$`, "m").exec(text)?.[1] ?? "unknown";
  return `${servicesFolder(env)}/ceph-${word("ID")}-${word("VERSION_ID")}`;
}
