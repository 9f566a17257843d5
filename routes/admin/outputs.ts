import { Problem } from "@/lib/problems.ts";

/**
 * Writes a file that is there under its name only once it is whole. Throws `INVALID_INPUT` for one
 * that cannot be written, or is there already.
 */
export async function writing(
  path: string,
  write: (file: WritableStream<Uint8Array>) => Promise<void>,
): Promise<void> {
  const draft = `${path}.part`;
  try {
    if (await isThere(path)) throw new Error("it is there already: delete it first");
    const file = await Deno.open(draft, { write: true, create: true, truncate: true, mode: 0o600 });
    await write(file.writable);
    await Deno.rename(draft, path);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    await Deno.remove(draft).catch(() => {});
    throw new Problem("INVALID_INPUT", {
      message: `Cannot write the file "${path}": ${whyOf(cause)}`,
      cause,
    });
  }
}

const isThere = (path: string): Promise<boolean> => Deno.lstat(path).then(() => true, () => false);

const whyOf = (cause: unknown): string =>
  cause instanceof Deno.errors.NotCapable
    ? "the task writes in the data folders, and in the folder that it was started in. Start it in " +
      "that of the file, or send what it prints into the file."
    : (cause as Error).message;
