import { BlobsUnavailable } from "../blobs.ts";

/** Runs `work` for up to `ms`. Throws `BlobsUnavailable` if it fails or takes longer. */
export async function limitTime<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw unavailable(what, error);
  } finally {
    clearTimeout(timer);
  }
}

export const unavailable = (what: string, cause: unknown): BlobsUnavailable =>
  new BlobsUnavailable(`Cannot ${what}: ${(cause as Error).message}`, { cause });

/** Resolves to the result of `work`, or to null if a file is missing. */
export async function ifExists<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
