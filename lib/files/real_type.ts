import { essenceOf } from "./media_type.ts";

/** Of a file, as much as is looked at to tell what it is. */
export const HEAD_BYTES = 4_100;

/**
 * Names of the same type, and of what comes in the same container: which of them it is stands
 * further inside than anybody looks.
 */
const SAME: readonly (readonly string[])[] = [
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

/** By first names, which other formats hold files of a type as well. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  // Python and Apache call a `.tar.gz` by what is compressed.
  "application/x-tar": [
    ...["application/gzip", "application/x-bzip2", "application/x-xz", "application/zstd"],
  ],
  "audio/aac": ["video/mp4", "audio/x-caf"],
  "audio/amr": ["video/mp4"],
  // Files of Adobe Illustrator are called so, and are PDF.
  "application/postscript": ["application/pdf"],
};

/** Signatures that may stand behind something else, by first names, as ISO 32000 allows for PDF. */
const SIGNATURES: Readonly<Record<string, string>> = {
  "application/pdf": "%PDF-",
  "application/postscript": "%!PS",
};
const SIGNATURE_WITHIN_BYTES = 1_024;

const FIRST_NAMES: ReadonlyMap<string, string> = new Map(
  SAME.flatMap((names) => names.map((name) => [name, names[0]!] as const)),
);

const firstNameOf = (essence: string): string => FIRST_NAMES.get(essence) ?? essence;

const MEDIA = /^(?:image|audio|video)\//;

/** Whether bytes tell whether a file has this type: pictures, audio, video, PDF and archives. */
export function isTold(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return MEDIA.test(essence) || FIRST_NAMES.has(essence);
}

/**
 * Whether a file that begins so can have the type that it was announced with. Of a type that no
 * bytes tell, such as SVG, only what is certainly something else is refused.
 */
export async function canBe(contentType: string, head: Uint8Array): Promise<boolean> {
  const { fileTypeFromBuffer, supportedMimeTypes } = await import("file-type");
  const announced = essenceOf(contentType);
  const first = firstNameOf(announced);
  const names = SAME.find((names) => names.includes(announced)) ?? [announced];
  const isKnown = names.some((name) => supportedMimeTypes.has(name));
  // Elsewhere any bytes could be taken for a frame of MP3.
  const mpegOffsetTolerance = first === "audio/mpeg" ? HEAD_BYTES : 0;
  const found = await fileTypeFromBuffer(head, { mpegOffsetTolerance });
  if (found === undefined) return !isKnown || hasSignature(first, head);
  const type = essenceOf(found.mime);
  if (firstNameOf(type) === first) return true;
  if (WITHIN[first]?.includes(firstNameOf(type))) return true;
  // Documents of many kinds are archives, too.
  if (first === "application/zip") return isZip(head);
  if (hasLongTag(head)) return kindOf(announced) === "audio";
  return !isKnown && (isXml(type) || kindOf(type) === kindOf(announced));
}

function hasSignature(type: string, head: Uint8Array): boolean {
  const signature = SIGNATURES[type];
  if (signature === undefined) return false;
  return latin1(head.subarray(0, SIGNATURE_WITHIN_BYTES)).includes(signature);
}

/** Whether an ID3 tag, which audio of several kinds begins with, hides what follows. */
function hasLongTag(head: Uint8Array): boolean {
  if (latin1(head.subarray(0, 3)) !== "ID3") return false;
  const size = head.subarray(6, 10).reduce((bytes, seven) => bytes * 128 + (seven & 127), 10);
  return size >= head.length;
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const kindOf = (essence: string): string => essence.split("/", 1)[0]!;

/** What SVG is. */
const isXml = (essence: string): boolean => essence === "application/xml";

const isZip = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b;
