import { essenceOf } from "./media_type.ts";

/** Number of bytes at the beginning of a file that are inspected to detect its type. */
export const HEAD_BYTES = 4_100;

/** Types that the beginning of a file cannot distinguish. The first name is the canonical one. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["image/jpeg", "image/jpg", "image/pjpeg"],
  ["image/png", "image/apng", "image/x-png"],
  ["image/bmp", "image/x-bmp", "image/x-ms-bmp"],
  ["image/x-icon", "image/vnd.microsoft.icon"],
  ["image/tiff", "image/x-adobe-dng", "image/x-canon-cr2", "image/x-nikon-nef", "image/x-sony-arw"],
  ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence", "image/avif"],
  ["audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mp3", "audio/x-mpeg"],
  ["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wave"],
  ["audio/aac", "audio/aacp", "audio/x-aac"],
  ["audio/aiff", "audio/x-aiff"],
  ["audio/flac", "audio/x-flac"],
  ["audio/midi", "audio/mid", "audio/x-midi"],
  ["video/mpeg", "video/mp1s", "video/mp2p"],
  ["video/vnd.avi", "video/avi", "video/msvideo", "video/x-msvideo"],
  [
    ...["video/mp4", "video/quicktime", "video/x-m4v", "video/3gpp", "video/3gpp2"],
    ...["audio/mp4", "audio/m4a", "audio/x-m4a", "audio/x-m4b", "audio/mp4a-latm"],
    ...["audio/3gpp", "audio/3gpp2"],
  ],
  [
    ...["video/webm", "video/matroska", "video/x-matroska"],
    ...["audio/webm", "audio/matroska", "audio/x-matroska"],
  ],
  ["application/ogg", "audio/ogg", "audio/opus", "audio/vorbis", "video/ogg"],
  [
    ...["application/vnd.ms-asf", "audio/x-ms-asf", "video/x-ms-asf"],
    ...["audio/x-ms-wma", "video/x-ms-wmv"],
  ],
  ["application/pdf", "application/x-pdf"],
  ["application/postscript", "application/eps", "application/x-eps", "image/eps", "image/x-eps"],
  ["application/zip", "application/x-zip", "application/x-zip-compressed"],
  ["application/gzip", "application/x-gzip", "application/x-tgz"],
  ["application/x-rar-compressed", "application/vnd.rar", "application/x-rar"],
  ["application/x-bzip2", "application/x-bzip"],
  ["application/x-7z-compressed"],
  ["application/x-tar", "application/x-gtar"],
  ["application/x-xz"],
  ["application/zstd"],
];

/** Further formats that files of a type may have, by canonical names. */
const ALSO_WITHIN: Readonly<Record<string, readonly string[]>> = {
  // Python and Apache give a `.tar.gz` the type of the compressed archive.
  "application/x-tar": [
    ...["application/gzip", "application/x-bzip2", "application/x-xz", "application/zstd"],
  ],
  "audio/aac": ["video/mp4", "audio/x-caf"],
  "audio/amr": ["video/mp4"],
  // Files of Adobe Illustrator have this type but are PDF.
  "application/postscript": ["application/pdf"],
};

/** Signatures that other bytes may precede, by canonical names. ISO 32000 allows this for PDF. */
const SIGNATURES: Readonly<Record<string, string>> = {
  "application/pdf": "%PDF-",
  "application/postscript": "%!PS",
};
const SIGNATURE_WITHIN_BYTES = 1_024;

const CANONICAL_NAMES: ReadonlyMap<string, string> = new Map(
  SYNONYMS.flatMap((names) => names.map((name) => [name, names[0]!] as const)),
);

const canonicalName = (essence: string): string => CANONICAL_NAMES.get(essence) ?? essence;

const MEDIA = /^(?:image|audio|video)\//;

/** Whether files of this type can be detected: pictures, audio, video, PDF and archives. */
export function isDetectable(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return MEDIA.test(essence) || CANONICAL_NAMES.has(essence);
}

/** Whether `head` fits the type. If the type is undetectable, only known other types do not. */
export async function matchesType(contentType: string, head: Uint8Array): Promise<boolean> {
  const { fileTypeFromBuffer, supportedMimeTypes } = await import("file-type");
  const announced = essenceOf(contentType);
  const first = canonicalName(announced);
  const names = SYNONYMS.find((names) => names.includes(announced)) ?? [announced];
  const isSupported = names.some((name) => supportedMimeTypes.has(name));
  // With a tolerance, arbitrary bytes of other types could look like an MP3 frame.
  const mpegOffsetTolerance = first === "audio/mpeg" ? HEAD_BYTES : 0;
  const found = await fileTypeFromBuffer(head, { mpegOffsetTolerance });
  if (found === undefined) return !isSupported || hasSignature(first, head);
  const type = essenceOf(found.mime);
  if (canonicalName(type) === first) return true;
  if (ALSO_WITHIN[first]?.includes(canonicalName(type))) return true;
  // Many document formats are ZIP archives.
  if (first === "application/zip") return isZip(head);
  if (hasLongTag(head)) return kindOf(announced) === "audio";
  return !isSupported && (isXml(type) || kindOf(type) === kindOf(announced));
}

function hasSignature(type: string, head: Uint8Array): boolean {
  const signature = SIGNATURES[type];
  if (signature === undefined) return false;
  return latin1(head.subarray(0, SIGNATURE_WITHIN_BYTES)).includes(signature);
}

/** Whether an ID3 tag, which several audio formats begin with, fills the head. */
function hasLongTag(head: Uint8Array): boolean {
  if (latin1(head.subarray(0, 3)) !== "ID3") return false;
  const size = head.subarray(6, 10).reduce((bytes, seven) => bytes * 128 + (seven & 127), 10);
  return size >= head.length;
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const kindOf = (essence: string): string => essence.split("/", 1)[0]!;

/** Whether a type is XML, as which SVG is detected. */
const isXml = (essence: string): boolean => essence === "application/xml";

const isZip = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b;
