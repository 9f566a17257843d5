import { BlobsUnavailable } from "../blobs.ts";

/** Settles as the work does, but not later than `ms`; what fails is `BlobsUnavailable`. */
export async function guarded<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
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

/** The work's result, or null for what is not there. */
export async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
