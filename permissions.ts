/**
 * What the tasks let the program touch beside the network: the folders and files that it writes,
 * those that it reads, and where native code is loaded from. Prints them as Deno's options take them.
 *
 *     deno run --allow-env=DATABASE_URL,STORAGE_URL,INIT_CWD permissions.ts write|read|native|admin
 */
import { fileURLToPath } from "node:url";
import { driverFiles, writtenFolders } from "@/lib/runtime/config.ts";
import type { Environment } from "@/lib/runtime/settings.ts";

const own = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** What threads begin with, the files of the reference, its guides and the client. By `ldd` native code knows its C library. */
const OWN_FILES = [
  own("client"),
  own("docs"),
  own("lib"),
  own("openapi"),
  own("routes"),
  "/usr/bin/ldd",
];

/** Written by nobody: a permission must name something. */
const NOTHING = own("data/none");

/** The folder of all packages of an author: native code is in another one for each machine. */
const packagesBeside = (name: string): string =>
  fileURLToPath(import.meta.resolve(name)).replace(/(?<=[\\/]@[^\\/]+[\\/]).*/, "");

/** That of the author of what `sharp` loads, which stands beside it. */
const picturesCode = (): string =>
  fileURLToPath(import.meta.resolve("sharp")).replace(/(?<=[\\/])sharp[\\/].*/, "@img/");

/** With the folder that a task was started in, as Deno tells it. */
type Circumstances = Environment & { readonly INIT_CWD?: string | undefined };

const PATHS: Readonly<Record<string, (settings: Circumstances) => readonly string[]>> = {
  write: (settings) => [NOTHING, ...writtenFolders(settings)],
  // What a command makes goes into the folder that it was started in.
  admin: (settings) => [...writtenFolders(settings), settings.INIT_CWD ?? NOTHING],
  read: (settings) => [...OWN_FILES, ...writtenFolders(settings), ...driverFiles(settings)],
  native: () => [packagesBeside("@node-rs/argon2"), picturesCode()],
};

/** The paths as one option. */
export function permitted(kind: string, settings: Circumstances): string {
  const paths = PATHS[kind]!(settings);
  const split = paths.find((path) => path.includes(","));
  if (split !== undefined) {
    throw new Error(`Deno's permissions are separated by commas: use another folder than ${split}`);
  }
  return paths.join();
}

if (import.meta.main) {
  const [DATABASE_URL, STORAGE_URL] = ["DATABASE_URL", "STORAGE_URL"].map(Deno.env.get);
  // Only what is asked for commands may be read where it is.
  const INIT_CWD = Deno.args[0] === "admin" ? Deno.env.get("INIT_CWD") : undefined;
  try {
    console.log(permitted(Deno.args[0]!, { DATABASE_URL, STORAGE_URL, INIT_CWD }));
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
