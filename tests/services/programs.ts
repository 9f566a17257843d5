/** Where programs and cached services of this machine are. */

/** An environment as `Deno.env.toObject()` gives it. */
export type Environment = Readonly<Record<string, string>>;

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false; // What cannot be looked at cannot be run either.
  }
}

/** The path of a program: on the PATH, else in one of the other folders; null if in none. */
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

/** Where services are kept that a machine lacks, outside every checkout. */
export function servicesFolder(env: Environment): string {
  if (env.CORBEL_SERVICES_DIR) return env.CORBEL_SERVICES_DIR;
  if (!env.HOME) throw new Error("Set CORBEL_SERVICES_DIR or HOME: services are kept below it");
  return `${env.HOME}/.cache/corbel/services`;
}
