/**
 * Prints the paths that a task may write, read or load native code from, as a value for Deno's
 * permission options.
 *
 *     deno run --allow-env=DATABASE_URL,STORAGE_URL,INIT_CWD permissions.ts write|read|native|admin
 */
import { fileURLToPath } from "node:url";
import { driverFiles, writtenFolders } from "@/lib/runtime/config.ts";
import type { Environment } from "@/lib/runtime/settings.ts";

const ownPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Paths that every task reads: the code of threads, the reference, its guides and the client.
 * Native code detects the C library by reading `ldd`.
 */
const OWN_FILES = [
  ownPath("client"),
  ownPath("docs"),
  ownPath("lib"),
  ownPath("openapi"),
  ownPath("routes"),
  "/usr/bin/ldd",
];

/** A path that no task writes, because a permission option needs at least one path. */
const UNUSED_PATH = ownPath("data/none");

/**
 * Returns the folder of a package's npm scope, where a package per platform has the native code.
 */
const scopeFolder = (name: string): string =>
  fileURLToPath(import.meta.resolve(name)).replace(/(?<=[\\/]@[^\\/]+[\\/]).*/, "");

/** Returns the folder of the npm scope `@img`, from which `sharp` loads its native code. */
const sharpBinaries = (): string =>
  fileURLToPath(import.meta.resolve("sharp")).replace(/(?<=[\\/])sharp[\\/].*/, "@img/");

/** The environment, with the folder in which `deno task` was started. */
type TaskEnvironment = Environment & { readonly INIT_CWD?: string | undefined };

const PATHS: Readonly<Record<string, (settings: TaskEnvironment) => readonly string[]>> = {
  write: (settings) => [UNUSED_PATH, ...writtenFolders(settings)],
  // A command writes its output into the folder in which it was started.
  admin: (settings) => [...writtenFolders(settings), settings.INIT_CWD ?? UNUSED_PATH],
  read: (settings) => [...OWN_FILES, ...writtenFolders(settings), ...driverFiles(settings)],
  native: () => [scopeFolder("@node-rs/argon2"), sharpBinaries()],
};

/** Returns the paths of a kind, separated by commas. Throws if a path contains a comma. */
export function permittedPaths(kind: string, settings: TaskEnvironment): string {
  const paths = PATHS[kind]!(settings);
  const split = paths.find((path) => path.includes(","));
  if (split !== undefined) {
    throw new Error(`Deno's permissions are separated by commas: use another folder than ${split}`);
  }
  return paths.join();
}

if (import.meta.main) {
  const [DATABASE_URL, STORAGE_URL] = ["DATABASE_URL", "STORAGE_URL"].map(Deno.env.get);
  // Only the `admin` task has permission to read `INIT_CWD`.
  const INIT_CWD = Deno.args[0] === "admin" ? Deno.env.get("INIT_CWD") : undefined;
  try {
    console.log(permittedPaths(Deno.args[0]!, { DATABASE_URL, STORAGE_URL, INIT_CWD }));
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
