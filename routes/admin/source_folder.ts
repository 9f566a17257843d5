import type { SourceFolder } from "@/lib/operations/foreign/pocketbase_files.ts";
import { Problem } from "@/lib/problems.ts";

/** A folder of this machine, of which no link leads elsewhere but that of its files. Throws `INVALID_INPUT` for none. */
export async function sourceFolder(path: string): Promise<SourceFolder> {
  const root = await Deno.realPath(path).catch((cause) => {
    const message = `Cannot read the folder "${path}": ${(cause as Error).message}`;
    throw new Problem("INVALID_INPUT", { message, cause });
  });
  // Where files are may be a link to another disk.
  const storage = await Deno.realPath(`${root}/storage`).catch(() => root);
  const isWithin = (real: string) => [root, storage].some((one) => real.startsWith(`${one}/`));
  return {
    async size(name) {
      const full = `${root}/${name}`;
      try {
        if (!isWithin(await Deno.realPath(full))) return null;
        const { isFile, size } = await Deno.stat(full);
        return isFile ? size : null;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
          return null;
        }
        throw error;
      }
    },
    open: async (name) => (await Deno.open(`${root}/${name}`)).readable,
  };
}
