import { resolve } from "node:path";
import { type Config, ConfigError } from "./config.ts";

/** Returns a description of the database without secrets. */
export const storeName = ({ database }: Pick<Config, "database">): string =>
  database.folder === null
    ? `the databases of MongoDB whose names begin with "${database.prefix}"`
    : `the data folder "${resolve(database.folder)}"`;

/** Returns the error of a command whose database is new, so that it probably names a wrong one. */
export const unusedStoreError = (config: Pick<Config, "database">): ConfigError =>
  new ConfigError([
    `DATABASE_URL is ${storeName(config)}, which no server has used so far: set it as for the ` +
    'server. "project create" with --new creates a new one.',
  ]);
