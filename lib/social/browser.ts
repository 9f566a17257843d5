import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import { sign, unsign } from "../crypto/signed.ts";
import type { Cookies } from "../http/cookies.ts";
import { SIGN_IN_MS } from "../limits.ts";

/** Concurrent tabs get cookies with different names, which do not overwrite each other. */
export interface Browsers {
  /** Returns the hash of the browser's mark, and the cookie that stores the mark. */
  identify(cookieHeader: string | null): {
    readonly browserHash: string;
    readonly cookie: readonly [string, string];
  };
  /** Returns the hashes of all marks in the browser's cookies. */
  hashesOf(cookieHeader: string | null): string[];
}

const NAME = "corbel_sign_in_";
const NAME_BYTES = 6;
/** Number of cookies that are read: more than a browser has tabs that start concurrently. */
const MARKS_MAX = 20;

/** @param keys The first key signs. All keys are accepted when reading. */
export function createBrowsers(cookies: Cookies, keys: readonly string[]): Browsers {
  const readSignedMarks = (header: string | null) =>
    cookies.readAll(header, NAME).slice(0, MARKS_MAX).flatMap(({ name, value }) => {
      const mark = unsign(keys, name, value);
      return mark === null ? [] : [{ name, mark }];
    });

  return {
    identify(header) {
      const { name, mark } = readSignedMarks(header)[0] ??
        { name: NAME + randomToken(NAME_BYTES), mark: randomToken() };
      const options = { sameSite: "Lax", maxAge: SIGN_IN_MS / 1000 } as const;
      const cookie = cookies.write(name, sign(keys[0]!, name, mark), options);
      return { browserHash: sha256(mark), cookie };
    },
    hashesOf: (header) => readSignedMarks(header).map(({ mark }) => sha256(mark)),
  };
}
