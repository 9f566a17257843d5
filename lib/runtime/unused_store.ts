import { resolve } from "node:path";
import { type Config, ConfigError } from "./config.ts";

/** Where everything is kept, without what is secret of it. */
export const storeName = ({ database }: Pick<Config, "database">): string =>
  database.folder === null
    ? `the databases of MongoDB whose names begin with "${database.prefix}"`
    : `the data folder "${resolve(database.folder)}"`;

/** For a command that was most likely meant for another store. */
export const unusedStore = (config: Pick<Config, "database">): ConfigError =>
  new ConfigError([
    `DATABASE_URL leads to ${storeName(config)}, which no server has used so far: give it as the ` +
    'server has it. "project create" with --new begins there.',
  ]);
