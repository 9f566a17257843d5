import assert from "node:assert/strict";
import { isDetectable, matchesType } from "./real_type.ts";

const text = (text: string) => new TextEncoder().encode(text);
const bytes = (latin1: string) => Uint8Array.from(latin1, (sign) => sign.charCodeAt(0));

const HEADS = {
  png: bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
  jpeg: bytes("\xff\xd8\xff\xe0\0\x10JFIF"),
  gif: text("GIF89a"),
  webp: bytes("RIFF\x20\0\0\0WEBP"),
  pdf: text("%PDF-1.7\n"),
  zip: bytes("PK\x03\x04\x14\0\0\0\0\0"),
  gzip: bytes("\x1f\x8b\x08\0\0\0\0\0"),
  mp4: bytes("\0\0\0\x18ftypmp42\0\0\0\0"),
  heic: bytes("\0\0\0\x18ftypheic\0\0\0\0"),
  mp3: bytes("\xff\xfb\x90\x44\0\0\0\0"),
  wav: bytes("RIFF\x24\0\0\0WAVEfmt "),
  ogg: bytes("OggS\0\x02" + "\0".repeat(22) + "OpusHead"),
  exe: bytes("MZ\x90\0\x03\0\0\0"),
  html: text("<!doctype html><script>alert(1)</script>"),
  svg: text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  nothing: bytes("x"),
  pdfAfterLine: bytes("\r\n%PDF-1.4\n"),
  pdfAfterKilobyte: bytes(" ".repeat(1_019) + "%PDF-1.4\n"),
  pdfTooLate: bytes(" ".repeat(1_020) + "%PDF-1.4\n"),
  pdfInPicture: bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR%PDF-1.4\n"),
  eps: text("%!PS-Adobe-3.0 EPSF-3.0\n"),
  epsOfWindows: bytes("\x04%!PS-Adobe-3.0 EPSF-3.0\n"),
  epsWithPreview: bytes("\xc5\xd0\xd3\xc6\x20\0\0\0"),
  mp3AfterPadding: bytes("\0".repeat(1_000) + "\xff\xfb\x90\x44\0\0\0\0"),
  mp3AfterTag: bytes(`ID3\x04\0\0\0\0\0\x64${"\0".repeat(100)}\xff\xfb\x90\x44\0\0\0\0`),
  longTag: bytes(`ID3\x04\0\0\0\x03\x06\x50${"\0".repeat(4_090)}`),
  aac: bytes("\xff\xf1\x50\x80\x02\x1f\xfc"),
  m4a: bytes("\0\0\0\x20ftypM4A \0\0\0\0"),
  amrIn3gp: bytes("\0\0\0\x20ftyp3gp4\0\0\0\0"),
  caf: bytes("caff\0\x01\0\0desc\0\0\0\0"),
  tar: bytes(`a.txt${"\0".repeat(252)}ustar\x0000${"\0".repeat(247)}`),
  emptyZip: bytes("PK\x05\x06" + "\0".repeat(18)),
} as const;

type Head = keyof typeof HEADS;

Deno.test("isDetectable accepts pictures, audio, video, PDF and archives only", () => {
  for (
    const type of ["image/png", "IMAGE/Jpeg; q=1", "audio/x-foo", "video/mp4", "application/pdf"]
  ) {
    assert.ok(isDetectable(type), type);
  }
  for (const type of ["application/zip", "application/x-tar", "application/x-7z-compressed"]) {
    assert.ok(isDetectable(type), type);
  }
  for (const type of ["text/plain", "application/json", "application/octet-stream", "x/image"]) {
    assert.ok(!isDetectable(type), type);
  }
});

const FITTING: readonly (readonly [type: string, head: Head])[] = [
  ["image/png", "png"],
  ["image/x-png; charset=binary", "png"],
  ["IMAGE/JPG", "jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/heif", "heic"],
  ["application/pdf", "pdf"],
  ["application/x-zip-compressed", "zip"],
  ["application/x-gzip", "gzip"],
  ["video/quicktime", "mp4"],
  ["audio/x-m4a", "mp4"],
  ["audio/mp3", "mp3"],
  ["audio/vnd.wave", "wav"],
  ["audio/ogg; codecs=opus", "ogg"],
  ["application/pdf", "pdfAfterLine"],
  ["application/x-pdf", "pdfAfterKilobyte"],
  ["image/x-eps", "eps"],
  ["application/postscript", "epsOfWindows"],
  ["application/eps", "epsWithPreview"],
  ["application/postscript", "pdf"],
  ["audio/mpeg", "mp3AfterPadding"],
  ["audio/mp3", "mp3AfterTag"],
  ["audio/mpeg", "longTag"],
  ["audio/flac", "longTag"],
  ["audio/aac", "longTag"],
  ["audio/aac", "aac"],
  ["audio/x-aac", "m4a"],
  ["audio/mp4a-latm", "mp4"],
  ["audio/amr", "amrIn3gp"],
  ["audio/x-caf", "caf"],
  ["audio/caf", "caf"],
  ["audio/aac", "caf"],
  ["application/x-tar", "tar"],
  ["application/x-gtar", "tar"],
  ["application/x-tar", "gzip"],
  ["application/x-gtar", "gzip"],
  ["application/x-tgz", "gzip"],
  ["application/zip", "emptyZip"],
  // A type that cannot be detected matches all files of its kind.
  ["image/svg+xml", "svg"],
  ["image/svg+xml", "nothing"],
  ["image/x-portable-pixmap", "nothing"],
  ["audio/x-unheard-of", "mp3"],
];

Deno.test("matchesType accepts a file by every name of its type", async () => {
  for (const [type, head] of FITTING) {
    assert.ok(await matchesType(type, HEADS[head]), `${type} ${head}`);
  }
});

const OTHERS: readonly (readonly [type: string, head: Head])[] = [
  ["image/png", "jpeg"],
  ["image/png", "nothing"],
  ["image/png", "html"],
  ["image/jpeg", "svg"],
  ["image/gif", "exe"],
  ["image/webp", "wav"],
  ["image/heic", "mp4"],
  ["image/svg+xml", "pdf"],
  ["image/x-portable-pixmap", "exe"],
  ["application/pdf", "html"],
  ["application/zip", "gzip"],
  ["application/gzip", "zip"],
  ["video/mp4", "ogg"],
  ["video/mp4", "html"],
  ["audio/mpeg", "zip"],
  ["audio/x-unheard-of", "mp4"],
  ["application/pdf", "pdfTooLate"],
  ["application/pdf", "pdfInPicture"],
  ["application/pdf", "eps"],
  ["image/png", "pdfAfterLine"],
  ["image/png", "longTag"],
  ["video/mp4", "longTag"],
  ["audio/mpeg", "html"],
  ["audio/mpeg", "gzip"],
  ["audio/wav", "mp3AfterPadding"],
  ["application/x-tar", "zip"],
  ["application/gzip", "tar"],
  ["application/x-tgz", "html"],
];

Deno.test("matchesType rejects a file of another type", async () => {
  for (const [type, head] of OTHERS) {
    assert.ok(!await matchesType(type, HEADS[head]), `${type} ${head}`);
  }
  assert.ok(!await matchesType("image/png", HEADS.png.subarray(0, 7)), "the file ends too early");
});
