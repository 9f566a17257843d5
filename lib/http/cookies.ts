/** Attributes of a cookie, in addition to `HttpOnly` and `Path=/`. */
export interface CookieOptions {
  readonly sameSite: "Lax" | "None";
  /** Lifetime in seconds; 0 removes the cookie. */
  readonly maxAge: number;
  /** Whether each embedding site has a cookie of its own, which makes `None` safe. */
  readonly partitioned?: boolean;
}

export interface Cookies {
  /** Whether cookies are `Secure` with the prefix `__Host-`, so that http cannot set them. */
  readonly isSecure: boolean;
  /** Returns the value in a `Cookie` header; null if it is missing or empty. */
  read(header: string | null, name: string): string | null;
  readAll(header: string | null, prefix: string): { name: string; value: string }[];
  /** Returns a `Set-Cookie` header. `value` must consist of base64url characters and dots. */
  write(name: string, value: string, options: CookieOptions): readonly [string, string];
}

/** Returns cookies whose names and flags depend on the scheme of `publicUrl`. */
export function createCookies(publicUrl: string): Cookies {
  const isSecure = publicUrl.startsWith("https:");
  const cookieName = (name: string) => isSecure ? `__Host-${name}` : name;
  return {
    isSecure,
    read(header, name) {
      const start = `${cookieName(name)}=`;
      const pair = header?.split(";").map((one) => one.trim()).find((one) => one.startsWith(start));
      return pair?.slice(start.length) || null;
    },
    readAll(header, prefix) {
      const start = cookieName(prefix);
      const pairs = header?.split(";").map((one) => one.trim()) ?? [];
      return pairs.filter((pair) => pair.startsWith(start) && pair.includes("=")).map((pair) => {
        const equals = pair.indexOf("=");
        const name = prefix + pair.slice(start.length, equals);
        return { name, value: pair.slice(equals + 1) };
      });
    },
    write(name, value, { sameSite, maxAge, partitioned = false }) {
      const attributes = [
        `${cookieName(name)}=${value}`,
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
