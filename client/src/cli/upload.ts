import type { Transport } from "../transport.ts";
import { type SlicedFile, UploadSteps } from "../upload_steps.ts";
import type { GivenOptions } from "./arguments.ts";
import { type Command, UsageError } from "./command.ts";

/** Bytes of a file that are in memory at once. */
const PIECE_BYTES = 8 * 1_048_576;

export const UPLOAD: Command = {
  group: "files",
  verb: "upload",
  method: "POST",
  path: "/api/projects/{projectId}/files",
  summary: "Upload a file for the project's admins",
  description:
    "Sends the file in pieces, continues after a lost connection, and answers its path " +
    "and address.",
  operand: "FILE",
  options: [
    {
      option: "project",
      name: "projectId",
      in: "path",
      type: "text",
      required: true,
      description: "The project's id.",
    },
    {
      option: "content-type",
      name: "contentType",
      in: "body",
      type: "text",
      required: false,
      description: "The file's type; from the extension of its name if left out.",
    },
    {
      option: "name",
      name: "filename",
      in: "body",
      type: "text",
      required: false,
      description: "The name to store; the file's own name if left out.",
    },
    {
      option: "visibility",
      name: "visibility",
      in: "body",
      type: "text",
      required: false,
      choices: ["public", "private"],
      description: "`public` if left out: everyone can read the file.",
    },
  ],
  takesBody: false,
  isPaged: false,
  isFile: false,
  example: "corbel files upload --project 66f1a0c2e4b0a1b2c3d4e5f6 logo.png",
};

/** Uploads a file. Throws {@linkcode UsageError}, and the server's refusals. */
export async function upload(
  transport: Transport,
  { given, operands, fetcher }: {
    given: GivenOptions;
    operands: readonly string[];
    fetcher: typeof fetch;
  },
): Promise<unknown> {
  const [path, ...others] = operands;
  if (path === undefined || others.length > 0) {
    throw new UsageError('"files upload" takes one file.', "files upload");
  }
  const text = (option: string) => given.get(option)?.[0] as string | undefined;
  const project = text("project");
  if (project === undefined) {
    throw new UsageError('"files upload" needs --project.', "files upload");
  }
  const name = text("name") ?? path.split(/[/\\]/).at(-1)!;
  using file = openFile(path);
  const { size } = file.statSync();
  const base = `/api/projects/${encodeURIComponent(project)}/files`;
  const steps = new UploadSteps(transport, fetcher, base);
  const contentType = text("content-type") ?? contentTypeOf(name);
  const { filePath, resumableUrl } = await steps
    .request({ filename: name, contentType, size, visibility: text("visibility") });
  try {
    await steps.send(slicedFile(file, size), resumableUrl, { arrived: 0 });
    return await steps.confirm({ filePath, size });
  } catch (error) {
    steps.cancel(resumableUrl);
    throw error;
  }
}

function openFile(path: string): Deno.FsFile {
  try {
    const file = Deno.openSync(path);
    if (file.statSync().isFile) return file;
    file.close();
  } catch (error) {
    throw new UsageError(`"${path}" cannot be read: ${(error as Error).message}`);
  }
  throw new UsageError(`"${path}" is not a file.`);
}

/** Wraps a file so that only one piece is in memory. */
const slicedFile = (file: Deno.FsFile, size: number): SlicedFile => ({
  size,
  pieceBytes: PIECE_BYTES,
  slice(start = 0, end = start) {
    const bytes = new Uint8Array(end - start);
    file.seekSync(start, Deno.SeekMode.Start);
    let length = 0;
    for (let read: number | null = 0; read !== null && length < bytes.length; length += read ?? 0) {
      read = file.readSync(bytes.subarray(length));
    }
    return new Blob([bytes.subarray(0, length)]);
  },
});

/** Content types of common files by extension. Others are `application/octet-stream`. */
const TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wasm: "application/wasm",
  webm: "video/webm",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "application/xml",
  zip: "application/zip",
};

const contentTypeOf = (name: string): string =>
  TYPES[name.split(".").at(-1)!.toLowerCase()] ?? "application/octet-stream";
