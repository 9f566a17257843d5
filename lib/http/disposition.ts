/** What no file name can hold, or what would make it look like another: controls and marks. */
const UNSAFE = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `Content-Disposition` with a file's name, for old clients and (RFC 8187) for all others. */
export function disposition(kind: "inline" | "attachment", filename: string): string {
  const name = filename.toWellFormed().replaceAll(UNSAFE, "_");
  const plain = name.replaceAll(/[^ !#$&'()+,.0-9;=@A-Z[\]^_`a-z{}~-]/gu, "_");
  const parts = [kind, `filename="${plain}"`];
  if (plain !== name) parts.push(`filename*=UTF-8''${encoded(name)}`);
  return parts.join("; ");
}

/** Leaves out four characters that `encodeURIComponent` leaves in. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
