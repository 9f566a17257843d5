import { Problem } from "../problems.ts";
import { PageTooLarge } from "../store/errors.ts";

/** Calls `read`. Throws `ANSWER_TOO_LARGE` if the store rejects the read as too large. */
export async function withSizeLimit<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    throw new Problem("ANSWER_TOO_LARGE", { cause: error });
  }
}
