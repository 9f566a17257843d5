/** Where MongoDB is, in the order in which it is looked for. */

import { type Environment, findProgram, isFile } from "./programs.ts";
import { standInPath } from "./stand_in.ts";

/** A program that can be started as a server of MongoDB's wire protocol. */
export interface MongodbProgram {
  readonly kind: "mongod" | "stand-in";
  readonly path: string;
}

/** A server that runs already. */
export interface MongodbAddress {
  readonly kind: "address";
  readonly url: string;
}

/** `MONGODB_TEST_URL`, else a program to start; null if there is neither. */
export async function findMongodb(
  env: Environment,
): Promise<MongodbAddress | MongodbProgram | null> {
  if (env.MONGODB_TEST_URL) return { kind: "address", url: env.MONGODB_TEST_URL };
  return await findMongodbProgram(env);
}

/** `mongod` on the PATH, else the stand-in from the cache; null if there is neither. */
export async function findMongodbProgram(env: Environment): Promise<MongodbProgram | null> {
  const mongod = await findProgram("mongod", env);
  if (mongod !== null) return { kind: "mongod", path: mongod };
  const standIn = standInPath(env);
  return await isFile(standIn) ? { kind: "stand-in", path: standIn } : null;
}
