import assert from "node:assert/strict";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { type BlobStores, INTERNAL_TARGET } from "@/lib/files/stores.ts";
import { type Blobs, BlobsUnavailable } from "@/lib/files/blobs.ts";
import type { Deadlines } from "@/lib/http/deadline.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { fileBytes } from "../support/file_bytes.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

export const MiB = 1_048_576;
export const REQUEST = "/api/storage/upload-request";
export const CONFIRM = "/api/storage/upload-confirm";
export const FILE = "/api/storage/file";

/** An upload with a signed address for one PUT. */
export interface SignedUpload {
  readonly filePath: string;
  readonly signedUrl: string;
  readonly size: number;
  readonly contentType: string;
}

export interface RequestedUpload extends SignedUpload {
  readonly resumableUrl: string;
}

export interface Usage {
  readonly used: number;
  readonly reserved: number;
  readonly limit: number | null;
  readonly fileBytesMax: number;
  readonly provider: string;
}

/** Calls about the files of one project, with its secret key. */
export interface Files {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Requests an upload, and returns the response even if it is a refusal. */
  ask(body: unknown): Promise<Answer>;
  request(size?: number, contentType?: string, filename?: string): Promise<RequestedUpload>;
  /** Puts the requested number of bytes to the signed address. */
  put(upload: SignedUpload): Promise<void>;
  /** Stores bytes in the staged place without the app, like a PUT that arrives late. */
  stage(upload: SignedUpload, bytes?: Uint8Array<ArrayBuffer>): Promise<void>;
  confirm(upload: { readonly filePath: string; readonly size: number }): Promise<Answer>;
  /** Requests, puts and confirms an upload, and fails unless all three succeed. */
  upload(size?: number, contentType?: string, filename?: string): Promise<RequestedUpload>;
  /** Stores a confirmed file with these bytes and returns its path. Fails if a step is refused. */
  storeFile(
    bytes: Uint8Array<ArrayBuffer>,
    contentType: string,
    filename?: string,
  ): Promise<string>;
  remove(path: string): Promise<Answer>;
  info(path: string): Promise<Answer>;
  usage(): Promise<Usage>;
  rows(): Promise<UploadRecord[]>;
  objects(): Promise<{ staged: string[]; stored: string[] }>;
  /** Fails if `work` changes records of uploads, the usage or objects. */
  untouched(work: () => Promise<void>): Promise<void>;
}

export async function openFiles(app: TestApp, owner?: TestProject): Promise<Files> {
  const project = owner ?? await app.project();
  const { projectId } = project;
  const { engine, blobStores } = app.services;
  const files: Files = {
    app,
    project,
    ask: (body) => project.asSecret({ path: REQUEST, body }),
    async request(size = 12, contentType = "text/plain", filename = "note.txt") {
      const answer = await files.ask({ filename, contentType, size });
      assert.equal(answer.status, 200, answer.text);
      const { filePath, signedUrl, resumableUrl } = answer.body;
      return { filePath, signedUrl, resumableUrl, size, contentType };
    },
    async put(upload) {
      const status = await putSigned(app, upload);
      assert.equal(status, 200);
    },
    stage: (upload, bytes = contentOf(upload)) => stage(app.services, upload, bytes),
    confirm: ({ filePath, size }) => project.asSecret({ path: CONFIRM, body: { filePath, size } }),
    async upload(...asked) {
      const upload = await files.request(...asked);
      await files.put(upload);
      const answer = await files.confirm(upload);
      assert.equal(answer.status, 200, answer.text);
      return upload;
    },
    async storeFile(bytes, contentType, filename = "a") {
      const upload = await files.request(bytes.length, contentType, filename);
      await files.stage(upload, bytes);
      const answer = await files.confirm(upload);
      assert.equal(answer.status, 200, answer.text);
      return upload.filePath;
    },
    remove: (path) => project.asSecret({ method: "DELETE", path: FILE, body: { path } }),
    info: (path) => project.asSecret({ path: `${FILE}?${new URLSearchParams({ path })}` }),
    usage: async () => ok(await project.asSecret({ path: "/api/storage/usage" })),
    async rows() {
      const records = engine.records<UploadRecord>(projectId, UPLOADS);
      const page = await records.list({ filter: ALL, sort: [], limit: 1000 });
      return parseJson(`[${page.items}]`) as UploadRecord[];
    },
    async objects() {
      const [staged, stored] = await Promise.all((["staged", "stored"] as const).map(
        async (place) =>
          (await blobStores.internal
            .list(place, { prefix: `${projectId}/`, after: null, limit: 1000 }))
            .blobs.map(({ path }) => path),
      ));
      return { staged: staged!, stored: stored! };
    },
    async untouched(work) {
      const state = async () => [await files.rows(), await files.usage(), await files.objects()];
      const before = await state();
      app.clock.advance(1000);
      await work();
      assert.deepEqual(await state(), before, "a refused request changed what is stored");
    },
  };
  return files;
}

const contentOf = ({ size, contentType }: SignedUpload) => fileBytes(contentType, size);

/** Uploads to the signed address as a client does, and returns the status. */
export async function putSigned(app: TestApp, upload: SignedUpload): Promise<number> {
  const { signedUrl, contentType } = upload;
  if (app.services.localFiles === null) {
    return await putTo(signedUrl, contentOf(upload), contentType);
  }
  const { status } = await app.send({
    method: "PUT",
    path: new URL(signedUrl).pathname,
    body: contentOf(upload),
    headers: { "content-type": contentType },
  });
  return status;
}

/** Stages bytes, even of a length or type that a signed address would refuse. */
async function stage(
  { blobStores, localFiles, clock }: Services,
  { filePath: path, contentType }: SignedUpload,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (localFiles !== null) {
    await using incoming = (await localFiles.receive(path, () => {}))!;
    incoming.write(bytes);
    return await incoming.stage();
  }
  const upload = { path, bytes: bytes.length, contentType, expiresAt: clock.now() + 60_000 };
  assert.equal(await putTo(await blobStores.internal.signUpload(upload), bytes, contentType), 200);
}

/** Puts bytes to an address outside the app, and returns the status. */
export async function putTo(
  address: string,
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  using client = Deno.createHttpClient({});
  const response = await fetch(address, {
    method: "PUT",
    body,
    headers: { "content-type": contentType, ...headers },
    client,
  });
  await response.body?.cancel();
  return response.status;
}

/** No time limit, because tests advance the clock while a request is under way. */
const NO_DEADLINES: Deadlines = { within: (work) => work(() => {}), [Symbol.dispose]() {} };

/** Returns services whose only file store is the internal one with some calls replaced. */
export function withChangedStores(
  services: Services,
  changes: Partial<Blobs>,
  name = INTERNAL_TARGET,
): Services {
  const blobs = new Proxy(services.blobStores.internal, {
    get: (target, name) => {
      const change = changes[name as keyof Blobs];
      if (change !== undefined) return change;
      const value = target[name as keyof Blobs];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const blobStores: BlobStores = {
    ...services.blobStores,
    internal: blobs,
    currentTarget: () => Promise.resolve({ name, blobs }),
    blobsOf: () => Promise.resolve(blobs),
  };
  return { ...services, blobStores, deadlines: NO_DEADLINES };
}

/** Returns services whose file stores fail at every call. */
export function withFailingStores(services: Services): Services {
  const fail = () => Promise.reject(new BlobsUnavailable("detail of a failure"));
  return {
    ...services,
    blobStores: { ...services.blobStores, currentTarget: fail, blobsOf: fail },
  };
}

export const sendOver = (services: Services, { secretKey }: TestProject, call: Call) =>
  send(createApp(services), {
    ...call,
    headers: [["x-api-key", secretKey], ...new Headers(call.headers)],
  });
