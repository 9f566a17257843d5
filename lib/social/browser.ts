import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import { signed, unsigned } from "../crypto/signed.ts";
import type { Cookies } from "../http/cookies.ts";
import { SIGN_IN_MS } from "../limits.ts";

/**
 * Ties a sign-in to the browser that began it. A browser gets one cookie for all its sign-ins,
 * whichever tab or provider they are of. Tabs that begin at the same moment each get one, under a
 * name of its own, so that none takes the other's place.
 */
export interface Browsers {
  /** The browser's mark, and the cookie that keeps it until the sign-in must be over. */
  recognise(cookieHeader: string | null): {
    readonly browserHash: string;
    readonly cookie: readonly [string, string];
  };
  /** Every mark that the browser holds; none for another browser. */
  hashesOf(cookieHeader: string | null): string[];
}

const NAME = "corbel_sign_in_";
const NAME_BYTES = 6;
/** Enough for tabs; whoever sends more is no browser of ours. */
const MARKS_MAX = 20;

/** @param keys The key to sign with first; all are tried when reading. */
export function createBrowsers(cookies: Cookies, keys: readonly string[]): Browsers {
  /** Names and values of the cookies that we have signed. */
  const genuine = (header: string | null) =>
    cookies.readAll(header, NAME).slice(0, MARKS_MAX).flatMap(({ name, value }) => {
      const mark = unsigned(keys, name, value);
      return mark === null ? [] : [{ name, mark }];
    });

  return {
    recognise(header) {
      const { name, mark } = genuine(header)[0] ??
        { name: NAME + randomToken(NAME_BYTES), mark: randomToken() };
      const options = { sameSite: "Lax", maxAge: SIGN_IN_MS / 1000 } as const;
      const cookie = cookies.write(name, signed(keys[0]!, name, mark), options);
      return { browserHash: sha256(mark), cookie };
    },
    hashesOf: (header) => genuine(header).map(({ mark }) => sha256(mark)),
  };
}
