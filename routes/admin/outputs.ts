import { Problem } from "@/lib/problems.ts";

/** Writes a new file completely or not at all. Throws `INVALID_INPUT` if it exists or fails. */
export async function writeNewFile(
  path: string,
  write: (file: WritableStream<Uint8Array>) => Promise<void>,
): Promise<void> {
  const draft = `${path}.part`;
  try {
    if (await pathExists(path)) throw new Error("it exists already: delete it first");
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

const pathExists = (path: string): Promise<boolean> =>
  Deno.lstat(path).then(() => true, () => false);

const whyOf = (cause: unknown): string =>
  cause instanceof Deno.errors.NotCapable
    ? "the task may write only to the data folders and the folder in which it was started. Start " +
      "it in the folder of the file, or redirect its output into the file."
    : (cause as Error).message;
