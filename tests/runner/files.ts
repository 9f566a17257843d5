const TEST_FILE = /_test\.tsx?$/;

/** Matches folders with foreign code or without code. */
const IGNORED_FOLDERS = /^(?:\.|node_modules$)/;

/** Returns the test files below a folder, or the path itself if it is a file. */
export async function testFilesIn(path: string): Promise<string[]> {
  const isFolder = await Deno.stat(path).then((info) => info.isDirectory, () => false);
  if (!isFolder) return [path];
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const inside = path === "." ? name : `${path}/${name}`;
    if (IGNORED_FOLDERS.test(name)) continue;
    if (isDirectory) found.push(...await testFilesIn(inside));
    else if (TEST_FILE.test(name)) found.push(inside);
  }
  return found.sort();
}
