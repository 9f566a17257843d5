const ROOT = new URL("../../", import.meta.url);

/** Reads a file by its path from the root; null if it is missing. */
export async function read(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(new URL(path, ROOT));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Reads a file by its path from the root. Throws if it is missing. */
export async function mustRead(path: string): Promise<string> {
  const text = await read(path);
  if (text === null) throw new Error(`There is no file "${path}"`);
  return text;
}

/** Returns the paths of all committed files that exist. */
export async function committedFiles(): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["ls-files", "-z"],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`git ls-files: ${new TextDecoder().decode(stderr)}`);
  const paths = new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
  const present = await Promise.all(paths.map(async (path) => (await exists(path)) ? path : null));
  return present.filter((path) => path !== null);
}

/** Returns the paths of all files below a folder, committed or not. */
export async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(new URL(`${folder}/`, ROOT))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesBelow(path));
    else found.push(path);
  }
  return found.sort();
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(new URL(path, ROOT))).isFile;
  } catch {
    return false;
  }
}

export interface Import {
  /** Path from the root, or the name of the package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

const STATIC =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[\w*]+(?:\s+as\s+\w+)?\s*,?\s*)?(?:\{[^}]*\}\s*)?from\s*["']([^"']+)["']/g;
const BARE = /(?:^|\n)\s*import\s*["']([^"']+)["']/g;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']/g;

export function importsOf(path: string, text: string): Import[] {
  const found = [
    ...[...text.matchAll(STATIC)].map(([, type, name]) => ({ name: name!, typeOnly: !!type })),
    ...[...text.matchAll(BARE)].map(([, name]) => ({ name: name!, typeOnly: false })),
    ...[...text.matchAll(DYNAMIC)].map(([, name]) => ({ name: name!, typeOnly: false })),
  ];
  return found.map(({ name, typeOnly }) => ({ target: resolveModule(path, name), typeOnly }));
}

/** Resolves a module to its path from the root, or to the name of its package. */
export function resolveModule(from: string, name: string): string {
  if (name.startsWith("@/")) return name.slice(2);
  if (!name.startsWith(".")) return name;
  return new URL(name, `file:///${from}`).pathname.slice(1);
}

/** Converts `createDocument` to `create_document`, as files are named. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const isTest = (path: string): boolean => /_test\.tsx?$/.test(path);
