/**
 * What the suites need beside Deno, and where this machine has it. `deno task services` builds what
 * can be built here, and says for the rest the command that brings it; with `CI=true` a missing
 * one is a failure.
 */

import { findS3 } from "./ceph.ts";
import { unpackCeph } from "./ceph_packages.ts";
import { findChromium, installChromium } from "./chromium.ts";
import { findMongodb, findMongodbProgram } from "./mongodb.ts";
import type { Environment } from "./programs.ts";
import type { Bringing } from "./run_program.ts";
import { buildStandIn } from "./stand_in.ts";

export interface Service {
  readonly name: string;
  /** What uses it. */
  readonly suite: string;
  /** Where it is, or null. */
  find(env: Environment): Promise<string | null>;
  /** What to type to get it. */
  readonly command: string;
  /** Gets it without asking anybody. Throws with what is missing for that. */
  bring?(env: Environment, bringing: Bringing): Promise<void>;
}

/** A browser, for pages. */
export const browser: Service = {
  name: "browser",
  suite: "every test of a page",
  command: "deno task services, or set CHROMIUM_PATH",
  find: findChromium,
  bring: installChromium,
};

/** A MongoDB of the tests' own, whatever address is given: they kill it, and have it fail. */
export const mongodbProgram: Service = {
  name: "MongoDB to start",
  suite: "every test of a MongoDB that goes wrong",
  command: "deno task services",
  find: async (env) => (await findMongodbProgram(env))?.path ?? null,
  bring: buildStandIn,
};

/** A MongoDB server, or a program to start one. */
export const mongodb: Service = {
  name: "MongoDB",
  suite: "every suite's run on MongoDB",
  command: "deno task services",
  async find(env) {
    const found = await findMongodb(env);
    // Addresses hold passwords.
    return found === null ? null : found.kind === "address" ? "MONGODB_TEST_URL" : found.path;
  },
};

/** A server that speaks S3, or Ceph to start one. */
export const s3: Service = {
  name: "Ceph",
  suite: "every suite's run on S3",
  command: "deno task services",
  async find(env) {
    const found = await findS3(env);
    if (found === null) return null;
    // Addresses hold secrets.
    if (found.kind === "address") return "S3_TEST_URL";
    return found.root === "" ? "Ceph on the PATH" : found.root;
  },
  bring: unpackCeph,
};

export const SERVICES: readonly Service[] = [browser, mongodbProgram, mongodb, s3];

/** What is left out without a service, and how to get it. */
export const leftOut = ({ suite, name, command }: Service): string =>
  `Left out: ${suite}, for want of a ${name}. Get it: ${command}`;

/**
 * Where a service is. Without it: null and one line that says how to get it, or with `CI=true` an
 * error.
 */
export async function require(service: Service): Promise<string | null> {
  const path = await service.find(Deno.env.toObject());
  if (path !== null) return path;
  if (Deno.env.get("CI") === "true") throw new Error(leftOut(service));
  console.log(leftOut(service));
  return null;
}

/** Finds or brings each service, and says where it is. Resolves to whether all are there. */
async function bringAll(env: Environment, signal: AbortSignal): Promise<boolean> {
  let isComplete = true;
  for (const service of SERVICES) {
    const { name, command } = service;
    let path = await service.find(env);
    let why = `Get it: ${command}`;
    if (path === null && service.bring !== undefined) {
      try {
        await service.bring(env, { say: console.log, signal });
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
  const isComplete = await bringAll(Deno.env.toObject(), stop.signal);
  const mustBeComplete = Deno.env.get("CI") === "true" || stop.signal.aborted;
  Deno.exit(isComplete || !mustBeComplete ? 0 : 1);
}
