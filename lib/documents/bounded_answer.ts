import { LongWork, SERVED_BYTES_MAX } from "../long_work.ts";
import { Problem } from "../problems.ts";
import { PageTooLarge } from "../store/errors.ts";

/**
 * Has a store read what is answered in one piece. Throws `ANSWER_TOO_LARGE` where that is more than
 * the store answers; a thread that serves leaves more than {@linkcode SERVED_BYTES_MAX} to another
 * one, by `LongWork`.
 */
export async function boundedAnswer<T>(
  isServing: boolean,
  read: (bounds: { readonly bytesMax?: number }) => Promise<T>,
): Promise<T> {
  try {
    return await read(isServing ? { bytesMax: SERVED_BYTES_MAX } : {});
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    if (isServing) throw new LongWork();
    throw new Problem("ANSWER_TOO_LARGE", { cause: error });
  }
}
