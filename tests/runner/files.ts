/** Where tests are. */

const TEST_FILE = /_test\.tsx?$/;

/** Folders of other people's code, and of none. */
const PASSED_OVER = /^(?:\.|node_modules$)/;

/** Test files below a folder of the working directory, or the file itself, whatever its name. */
export async function testFilesIn(path: string): Promise<string[]> {
  const isFolder = await Deno.stat(path).then((info) => info.isDirectory, () => false);
  if (!isFolder) return [path];
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const inside = path === "." ? name : `${path}/${name}`;
    if (PASSED_OVER.test(name)) continue;
    if (isDirectory) found.push(...await testFilesIn(inside));
    else if (TEST_FILE.test(name)) found.push(inside);
  }
  return found.sort();
}
