import { Problem } from "../problems.ts";
import { PageTooLarge } from "../store/errors.ts";

/**
 * Reads what is answered in one piece. Throws `ANSWER_TOO_LARGE` where that is more than the store
 * answers.
 */
export async function boundedAnswer<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    throw new Problem("ANSWER_TOO_LARGE", { cause: error });
  }
}
