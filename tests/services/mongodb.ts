/** Finds MongoDB in an order of precedence. */

import { type Environment, findProgram, isFile } from "./programs.ts";
import { standInPath } from "./stand_in.ts";

export interface MongodbProgram {
  readonly kind: "mongod" | "stand-in";
  readonly path: string;
}

export interface MongodbAddress {
  readonly kind: "address";
  readonly url: string;
}

/** Returns `MONGODB_TEST_URL`, otherwise a program to start; null if both are missing. */
export async function findMongodb(
  env: Environment,
): Promise<MongodbAddress | MongodbProgram | null> {
  if (env.MONGODB_TEST_URL) return { kind: "address", url: env.MONGODB_TEST_URL };
  return await findMongodbProgram(env);
}

/** Returns `mongod` on the PATH, otherwise the cached stand-in; null without either. */
export async function findMongodbProgram(env: Environment): Promise<MongodbProgram | null> {
  const mongod = await findProgram("mongod", env);
  if (mongod !== null) return { kind: "mongod", path: mongod };
  const standIn = standInPath(env);
  return await isFile(standIn) ? { kind: "stand-in", path: standIn } : null;
}
