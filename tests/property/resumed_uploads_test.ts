/** Uploads in random pieces and order: the file consists of the acknowledged bytes. */

import fc from "fast-check";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { streamOf } from "../api/blobs.ts";
import { type Files, openFiles, type RequestedUpload } from "../api/files.ts";
import { ask, cancel, patch, storedBytes } from "../api/resumable.ts";
import { openTestApp } from "../support/test_app.ts";
import { check } from "./run.ts";

const SIZE_MAX = 30;

interface Patch {
  readonly kind: "patch";
  /** Distance of the piece from the current end of the upload in bytes: mostly 0. */
  readonly distance: number;
  readonly chunks: readonly number[];
  /** Whether the connection breaks after the last chunk. */
  readonly breaks: boolean;
  readonly checksum: "none" | "right" | "wrong";
  /** Whether the length is announced first. */
  readonly announces: boolean;
}

type Step = Patch | { readonly kind: "confirm" | "cancel" | "wait" };

const patchStep: fc.Arbitrary<Patch> = fc.record({
  kind: fc.constant("patch" as const),
  distance: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -5, max: 40 }) },
  ),
  chunks: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
  breaks: fc.boolean(),
  checksum: fc.oneof(
    { weight: 3, arbitrary: fc.constant("none" as const) },
    { weight: 2, arbitrary: fc.constantFrom("right" as const, "wrong" as const) },
  ),
  announces: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: patchStep },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("confirm" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("wait" as const, "cancel" as const) }),
  },
);

const cases = fc.record({
  size: fc.integer({ min: 1, max: SIZE_MAX }),
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
});

/** Returns the bytes of one PATCH, which differ from those of any other. */
const bytesOf = (index: number, length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, i) => 32 * index + i);

/** A model of an upload by the contract, without a store. */
class UploadModel {
  readonly size: number;
  bytes: number[] = [];
  state: "open" | "confirmed" | "cancelled" = "open";

  constructor(size: number) {
    this.size = size;
  }

  /** Returns the status of the response to a PATCH. */
  patch(offset: number, { chunks, checksum, announces }: Patch, bytes: Uint8Array): number {
    if (this.state !== "open") return 410;
    if (offset + (announces ? bytes.length : 0) > this.size) return 413;
    if (offset !== this.bytes.length) return 409;
    let kept = 0;
    for (const length of chunks) {
      if (offset + kept + length > this.size) {
        if (checksum === "none") this.bytes.push(...bytes.subarray(0, kept));
        return 413;
      }
      kept += length;
    }
    if (checksum === "wrong") return 460;
    this.bytes.push(...bytes);
    return 204;
  }

  confirm(): number {
    if (this.state === "cancelled") return 404;
    if (this.state === "open" && this.bytes.length < this.size) return 409;
    this.state = "confirmed";
    return 200;
  }

  cancel(): number {
    if (this.state !== "open") return 410;
    this.state = "cancelled";
    return 204;
  }
}

const HEAD_STATUS = { open: 200, confirmed: 410, cancelled: 410 };

/** An upload with its model. */
class UploadRun {
  readonly #files: Files;
  readonly #upload: RequestedUpload;
  readonly #model: UploadModel;

  constructor(files: Files, upload: RequestedUpload) {
    this.#files = files;
    this.#upload = upload;
    this.#model = new UploadModel(upload.size);
  }

  async take(one: Step, index: number): Promise<void> {
    const { app } = this.#files;
    if (one.kind === "wait") app.clock.advance(60_000);
    else if (one.kind === "patch") await this.#patch(one, index);
    else {
      const { status } = one.kind === "confirm"
        ? await this.#files.confirm(this.#upload)
        : await cancel(app, this.#upload);
      assert.equal(status, this.#model[one.kind](), `${one.kind} as step ${index}`);
    }
    await this.#compare(`after step ${index}`);
  }

  /** Completes the upload if it has not ended. */
  async end(): Promise<void> {
    const { size, state, bytes } = this.#model;
    const chunks = [size - bytes.length].filter((length) => length > 0);
    if (state === "open") {
      const rest = {
        kind: "patch",
        distance: 0,
        chunks,
        breaks: false,
        checksum: "right",
      } as const;
      await this.take({ ...rest, announces: true }, 7);
      await this.take({ kind: "confirm" }, 8);
    }
    if (this.#model.state === "confirmed") {
      assert.equal((await this.#files.remove(this.#upload.filePath)).status, 200);
    }
  }

  async #patch(one: Patch, index: number): Promise<void> {
    const offset = Math.max(0, this.#model.bytes.length + one.distance);
    const bytes = bytesOf(index, one.chunks.reduce((sum, length) => sum + length, 0));
    let at = 0;
    const chunks = one.chunks.map((length) => bytes.slice(at, at += length));
    const body = streamOf((i) => {
      if (i < chunks.length) return chunks[i]!;
      return one.breaks ? Promise.reject(new Error("gone")) : null;
    });
    const hashed = one.checksum === "right" ? bytes : Uint8Array.of(...bytes, 0);
    const digest = createHash("sha1").update(hashed).digest("base64");
    const answer = await patch(this.#files.app, this.#upload, offset, {
      body,
      headers: {
        ...one.checksum !== "none" && { "upload-checksum": `sha1 ${digest}` },
        ...one.announces && { "content-length": String(bytes.length) },
      },
    });
    const expected = this.#model.patch(offset, one, bytes);
    assert.equal(answer.status, expected, `step ${index}: ${answer.text}`);
    if (expected !== 204) return;
    assert.equal(answer.headers.get("upload-offset"), String(this.#model.bytes.length));
  }

  async #compare(when: string): Promise<void> {
    const { app } = this.#files;
    const { bytes, state, size } = this.#model;
    const answer = await ask(app, this.#upload);
    assert.equal(answer.status, HEAD_STATUS[state], when);
    if (state === "open") assert.equal(answer.body.data.offset, bytes.length, when);
    const stored = await storedBytes(app, this.#upload);
    assert.deepEqual(stored && [...stored], state === "confirmed" ? bytes : null, when);
    const { used, reserved } = await this.#files.usage();
    assert.deepEqual(
      { used, reserved },
      { used: state === "confirmed" ? size : 0, reserved: state === "open" ? size : 0 },
      when,
    );
  }
}

Deno.test("an upload in pieces consists of the acknowledged bytes, in their order", async () => {
  await using app = await openTestApp();
  await check("Resuming", cases, async ({ size, steps }) => {
    const files = await openFiles(app);
    const run = new UploadRun(files, await files.request(size, "application/octet-stream"));
    for (const [index, one] of steps.entries()) await run.take(one, index % 7);
    await run.end();
  });
});
