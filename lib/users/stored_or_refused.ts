import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";

/** What a write of users met as taken, in their words. Throws `USERNAME_TAKEN` and `EMAIL_TAKEN`. */
export async function storedOrRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    const code = error.path === "usernameLower" ? "USERNAME_TAKEN" : "EMAIL_TAKEN";
    throw new Problem(code, { cause: error });
  }
}
