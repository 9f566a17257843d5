/** Characters that are invalid in a file name or could disguise it. */
const UNSAFE = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a `Content-Disposition` header with an ASCII file name and, if needed, RFC 8187's. */
export function contentDisposition(kind: "inline" | "attachment", filename: string): string {
  const name = filename.toWellFormed().replaceAll(UNSAFE, "_");
  const plain = name.replaceAll(/[^ !#$&'()+,.0-9;=@A-Z[\]^_`a-z{}~-]/gu, "_");
  const parts = [kind, `filename="${plain}"`];
  if (plain !== name) parts.push(`filename*=UTF-8''${encodeParameter(name)}`);
  return parts.join("; ");
}

/** Encodes a text for RFC 8187, which reserves four characters more than `encodeURIComponent`. */
const encodeParameter = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
