/** What an answer sets, beside `HttpOnly` and `Path=/`. */
export interface CookieOptions {
  readonly sameSite: "Lax" | "None";
  /** Seconds; 0 removes the cookie. */
  readonly maxAge: number;
  /** One for each site that embeds it; what makes `None` safe to set. */
  readonly partitioned?: boolean;
}

/** Reads and writes the cookies of one deployment. */
export interface Cookies {
  /** Whether they are kept from plain http, by `Secure` and the names that browsers hold to it. */
  readonly isSecure: boolean;
  /** The value in a `Cookie` header; null where it is missing or empty. */
  read(header: string | null, name: string): string | null;
  /** Every cookie whose name begins so. */
  readAll(header: string | null, prefix: string): { name: string; value: string }[];
  /** A `Set-Cookie` header. `value` has no characters but those of base64url and the dot. */
  write(name: string, value: string, options: CookieOptions): readonly [string, string];
}

/** The scheme of the public address decides on names and flags. */
export function createCookies(publicUrl: string): Cookies {
  const isSecure = publicUrl.startsWith("https:");
  const named = (name: string) => isSecure ? `__Host-${name}` : name;
  return {
    isSecure,
    read(header, name) {
      const start = `${named(name)}=`;
      const pair = header?.split(";").map((one) => one.trim()).find((one) => one.startsWith(start));
      return pair?.slice(start.length) || null;
    },
    readAll(header, prefix) {
      const start = named(prefix);
      const pairs = header?.split(";").map((one) => one.trim()) ?? [];
      return pairs.filter((pair) => pair.startsWith(start) && pair.includes("=")).map((pair) => {
        const equals = pair.indexOf("=");
        const name = prefix + pair.slice(start.length, equals);
        return { name, value: pair.slice(equals + 1) };
      });
    },
    write(name, value, { sameSite, maxAge, partitioned = false }) {
      const attributes = [
        `${named(name)}=${value}`,
        "Path=/",
        `Max-Age=${maxAge}`,
        ...(isSecure ? ["Secure"] : []),
        "HttpOnly",
        `SameSite=${sameSite}`,
        ...(partitioned ? ["Partitioned"] : []),
      ];
      return ["set-cookie", attributes.join("; ")];
    },
  };
}
