import assert from "node:assert/strict";
import type { Blobs, PiecedUpload } from "@/lib/files/blobs.ts";
import { piecesPath, projectIdOf } from "@/lib/files/paths.ts";
import { walkBlobs } from "@/lib/files/walk.ts";
import type { BlobCases } from "./blobs.ts";
import { aPath, assertHolds, bytesOf, manyBytes, TYPE } from "./blobs_fixtures.ts";

/** Size in bytes: more than two parts of the minimum size of buckets. */
const BODY = manyBytes(11_534_336 + 17);
const PART = 5_242_880;

const uploadOf = (change: Partial<PiecedUpload> = {}): PiecedUpload => ({
  path: aPath(),
  bytes: BODY.length,
  contentType: TYPE,
  place: "stored",
  ...change,
});

interface Noted {
  readonly upload: PiecedUpload;
  readonly name: string;
  arrived: number;
}

async function begin({ pieces }: Blobs, upload = uploadOf()): Promise<Noted> {
  return { upload, name: await pieces.begin(upload), arrived: 0 };
}

/** Writes up to a position in chunks, as from a network. */
async function write(
  { pieces }: Blobs,
  noted: Noted,
  to: number,
  { keeps = true, body = BODY }: { keeps?: boolean; body?: Uint8Array } = {},
): Promise<number> {
  const { upload, arrived } = noted;
  assert.equal(await pieces.countArrived(upload, noted), arrived);
  await using writer = await pieces.resume(upload, noted);
  for (let at = arrived; at < to; at += 65_536) {
    await writer.write(body.subarray(at, Math.min(at + 65_536, to)));
  }
  const note = () => Promise.resolve(void (noted.arrived = writer.safeBytes));
  if (keeps) {
    await writer.flush(note);
    await note();
    assert.equal(noted.arrived, to);
  }
  return writer.safeBytes;
}

async function assertJoins(
  { blobs, body = BODY }: { blobs: Blobs; body?: Uint8Array },
  noted: Noted,
) {
  const { upload, name } = noted;
  assert.deepEqual(await blobs.pieces.join(upload, name), { bytes: body.length });
  await assertHolds(blobs, upload.place, upload.path, body);
}

const partial = (blobs: Blobs, path: string) =>
  Array.fromAsync(walkBlobs(blobs, "partial", `${projectIdOf(path)}/`), ({ path }) => path);

export const blobPieceCases: BlobCases = {
  "pieces of any length are joined, byte for byte, in the place of the file": async ({ blobs }) => {
    for (const place of ["stored", "private"] as const) {
      const noted = await begin(blobs, uploadOf({ place }));
      for (const to of [1, 70_000, PART, PART + 1, BODY.length - 1, BODY.length]) {
        await write(blobs, noted, to);
        for (const other of ["stored", "staged", "private"] as const) {
          assert.equal(await blobs.stat(other, noted.upload.path), null);
        }
      }
      await assertJoins({ blobs }, noted);
    }
  },

  "an upload of one byte can be sent in pieces": async ({ blobs }) => {
    const noted = await begin(blobs, uploadOf({ bytes: 1 }));
    const body = bytesOf("1");
    await write(blobs, noted, 1, { body });
    await assertJoins({ blobs, body }, noted);
  },

  "an upload of no bytes is joined, whether it was begun or not": async ({ blobs }) => {
    const body = bytesOf("");
    for (const place of ["stored", "private"] as const) {
      const upload = uploadOf({ bytes: 0, place });
      await assertJoins({ blobs, body }, { upload, name: "", arrived: 0 });
      const noted = await begin(blobs, uploadOf({ bytes: 0, place }));
      await write(blobs, noted, 0, { body });
      await assertJoins({ blobs, body }, noted);
      await blobs.pieces.remove(noted.upload.path);
      assert.deepEqual(await partial(blobs, noted.upload.path), []);
    }
  },

  "another process continues an upload": async (store) => {
    const noted = await begin(store.blobs);
    await write(store.blobs, noted, 7_000_000);
    await using other = await store.again();
    await write(other, noted, BODY.length);
    await assertJoins(store, noted);
  },

  "bytes that were not kept are written again": async ({ blobs }) => {
    const noted = await begin(blobs);
    await write(blobs, noted, 100_000);
    const others = BODY.map((byte) => byte ^ 255);
    await write(blobs, noted, BODY.length - 5, { keeps: false, body: others });
    await write(blobs, noted, BODY.length);
    await assertJoins({ blobs }, noted);
  },

  "an upload continues after bytes that are safe without being kept": async ({ blobs }) => {
    const noted = await begin(blobs);
    await write(blobs, noted, 100_000);
    noted.arrived = await write(blobs, noted, BODY.length - 5, { keeps: false });
    assert.ok(noted.arrived >= 2 * PART);
    await write(blobs, noted, BODY.length);
    await assertJoins({ blobs }, noted);
  },

  "recorded bytes stay valid whenever the next piece is interrupted": async ({ blobs }) => {
    const noted = await begin(blobs);
    await write(blobs, noted, 100_000);
    {
      await using writer = await blobs.pieces.resume(noted.upload, noted);
      await writer.write(BODY.subarray(100_000, PART + 1_000));
      await writer.flush(() => Promise.reject(new Error("the process ended"))).catch(() => {});
    }
    await write(blobs, noted, BODY.length);
    await assertJoins({ blobs }, noted);
  },

  "an upload in pieces is listed as partial until it is removed": async ({ blobs }) => {
    const noted = await begin(blobs);
    const { upload } = noted;
    assert.deepEqual(await partial(blobs, upload.path), [piecesPath(upload.path)]);
    await begin(blobs, upload); // Its progress is not recorded.
    await write(blobs, noted, 6_000_000);
    await blobs.pieces.remove(upload.path);
    assert.deepEqual(await partial(blobs, upload.path), []);
    assert.equal(await blobs.pieces.join(upload, noted.name), null);
    await assertHolds(blobs, "stored", upload.path, null);
    await blobs.pieces.remove(upload.path);
  },

  "removing a partial object removes all pieces of its upload": async ({ blobs }) => {
    const noted = await begin(blobs);
    await write(blobs, noted, 6_000_000);
    await blobs.remove("partial", piecesPath(noted.upload.path));
    assert.equal(await blobs.pieces.join(noted.upload, noted.name), null);
  },

  "an upload is joined once": async ({ blobs }) => {
    const noted = await begin(blobs);
    await write(blobs, noted, BODY.length);
    await assertJoins({ blobs }, noted);
    await blobs.pieces.remove(noted.upload.path);
    assert.equal(await blobs.pieces.join(noted.upload, noted.name), null);
    await assertHolds(blobs, "stored", noted.upload.path, BODY);
  },
};
