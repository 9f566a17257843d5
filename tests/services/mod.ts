/**
 * Services that the suites need in addition to Deno. `deno task services` installs those that can
 * be installed on this machine, and prints a command for the others. With `CI=true` a missing
 * service is a failure.
 */

import { findS3 } from "./ceph.ts";
import { unpackCeph } from "./ceph_packages.ts";
import { findChromium, installChromium } from "./chromium.ts";
import { findMongodb, findMongodbProgram } from "./mongodb.ts";
import type { Environment } from "./programs.ts";
import type { InstallOptions } from "./run_program.ts";
import { buildStandIn } from "./stand_in.ts";

export interface Service {
  readonly name: string;
  readonly suite: string;
  find(env: Environment): Promise<string | null>;
  readonly command: string;
  /** Installs the service without user input. Throws if something is missing for that. */
  install?(env: Environment, bringing: InstallOptions): Promise<void>;
}

export const browser: Service = {
  name: "browser",
  suite: "every test of a page",
  command: "deno task services, or set CHROMIUM_PATH",
  find: findChromium,
  install: installChromium,
};

/** A MongoDB program. Some tests kill their server or make it fail, even if an address is set. */
export const mongodbProgram: Service = {
  name: "MongoDB to start",
  suite: "every test of a MongoDB that goes wrong",
  command: "deno task services",
  find: async (env) => (await findMongodbProgram(env))?.path ?? null,
  install: buildStandIn,
};

/** A MongoDB server, or a program to start one. */
export const mongodb: Service = {
  name: "MongoDB",
  suite: "every suite's run on MongoDB",
  command: "deno task services",
  async find(env) {
    const found = await findMongodb(env);
    // Addresses have passwords.
    return found === null ? null : found.kind === "address" ? "MONGODB_TEST_URL" : found.path;
  },
};

/** An S3 server, or Ceph to start one. */
export const s3: Service = {
  name: "Ceph",
  suite: "every suite's run on S3",
  command: "deno task services",
  async find(env) {
    const found = await findS3(env);
    if (found === null) return null;
    // Addresses have secrets.
    if (found.kind === "address") return "S3_TEST_URL";
    return found.root === "" ? "Ceph on the PATH" : found.root;
  },
  install: unpackCeph,
};

export const SERVICES: readonly Service[] = [browser, mongodbProgram, mongodb, s3];

/** Returns a line with the suites that lack a service, and its installation command. */
export const leftOut = ({ suite, name, command }: Service): string =>
  `Left out: ${suite}, for want of a ${name}. Get it: ${command}`;

/**
 * Returns the location of a service. If it is missing, prints a line with its installation command
 * and returns null, or throws with `CI=true`.
 */
export async function require(service: Service): Promise<string | null> {
  const path = await service.find(Deno.env.toObject());
  if (path !== null) return path;
  if (Deno.env.get("CI") === "true") throw new Error(leftOut(service));
  console.log(leftOut(service));
  return null;
}

/** Finds or installs each service and prints where it is. Resolves to whether all are. */
async function installAll(env: Environment, signal: AbortSignal): Promise<boolean> {
  let isComplete = true;
  for (const service of SERVICES) {
    const { name, command } = service;
    let path = await service.find(env);
    let why = `Get it: ${command}`;
    if (path === null && service.install !== undefined) {
      try {
        await service.install(env, { say: console.log, signal });
        path = await service.find(env);
      } catch (error) {
        why = (error as Error).message;
      }
    }
    isComplete &&= path !== null;
    console.log(`${name}: ${path ?? `missing. ${why}`}`);
  }
  return isComplete;
}

if (import.meta.main) {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => stop.abort());
  }
  const isComplete = await installAll(Deno.env.toObject(), stop.signal);
  const mustBeComplete = Deno.env.get("CI") === "true" || stop.signal.aborted;
  Deno.exit(isComplete || !mustBeComplete ? 0 : 1);
}
