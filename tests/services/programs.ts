/** Finds programs and cached services on this machine. */

/** Environment variables as `Deno.env.toObject()` returns them. */
export type Environment = Readonly<Record<string, string>>;

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false; // A file that cannot be read cannot be run either.
  }
}

/** Returns the path of a program on the PATH or in the other folders; null if missing. */
export async function findProgram(
  name: string,
  env: Environment,
  others: readonly string[] = [],
): Promise<string | null> {
  const folders = (env.PATH ?? "").split(":").filter((folder) => folder !== "");
  for (const folder of [...folders, ...others]) {
    const path = `${folder}/${name}`;
    if (await isFile(path)) return path;
  }
  return null;
}

/** Returns the folder of cached services, which is outside of every checkout. */
export function servicesFolder(env: Environment): string {
  if (env.CORBEL_SERVICES_DIR) return env.CORBEL_SERVICES_DIR;
  if (!env.HOME) throw new Error("Set CORBEL_SERVICES_DIR or HOME: services are cached below it");
  return `${env.HOME}/.cache/corbel/services`;
}
