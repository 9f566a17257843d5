/** Signatures of file types, in Latin-1. */
const SIGNATURES: Readonly<Record<string, string>> = {
  "image/png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
  "image/jpeg": "\xff\xd8\xff\xe0",
  "image/gif": "GIF89a",
  "image/webp": "RIFF\x20\0\0\0WEBP",
  "application/pdf": "%PDF-1.7",
  "application/zip": "PK\x03\x04",
  "video/mp4": "\0\0\0\x18ftypmp42",
  "video/webm": "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm",
  "audio/webm": "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm",
  "audio/mpeg": "\xff\xfb\x90\x44",
};

/** Value of the bytes after the signature. */
const FILLER_BYTE = 120;

/** Returns `size` bytes with the signature of the type. The rest is not valid content. */
export function fileBytes(contentType: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size).fill(FILLER_BYTE);
  const head = SIGNATURES[contentType.split(";", 1)[0]!.trim().toLowerCase()] ?? "";
  bytes.set(Uint8Array.from(head.slice(0, size), (sign) => sign.charCodeAt(0)));
  return bytes;
}
