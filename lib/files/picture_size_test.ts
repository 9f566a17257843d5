import assert from "node:assert/strict";
import { PICTURE_STEPS, sizeFor, variantOf } from "./picture_size.ts";

const of = (
  asked: Parameters<typeof sizeFor>[1],
  accept: string | null = null,
  type = "image/png",
) => variantOf(sizeFor(type, asked, accept));

Deno.test("widths and heights are rounded up to a fixed list, and quality to five steps", () => {
  assert.equal(of({ w: 1 }), "w16-q100-png");
  assert.equal(of({ w: 16 }), "w16-q100-png");
  assert.equal(of({ w: 17, h: 2048 }), "w32-h2048-q100-png");
  assert.equal(of({ h: 1537, format: "webp" }), "h2048-q80-webp");
  assert.equal(of({ w: 100, format: "jpeg", q: 1 }), "w128-q20-jpeg");
  assert.equal(of({ w: 100, format: "jpeg", q: 61 }), "w128-q80-jpeg");
  assert.equal(of({ format: "avif", q: 100 }), "w2048-h2048-q100-avif");
  assert.equal(PICTURE_STEPS.at(-1), 2048);
  const sizes = new Set<string>();
  for (let w = 1; w <= 2048; w++) sizes.add(of({ w }));
  assert.equal(sizes.size, 13);
  const qualities = new Set<string>();
  for (let q = 1; q <= 100; q++) qualities.add(of({ w: 1, format: "avif", q }));
  assert.equal(qualities.size, 5);
});

Deno.test("what makes no difference makes no other size", () => {
  assert.equal(of({ w: 64, fit: "cover" }), of({ w: 64 }));
  assert.equal(of({ w: 64, h: 64, fit: "contain" }), of({ w: 64, h: 64 }));
  assert.notEqual(of({ w: 64, h: 64, fit: "cover" }), of({ w: 64, h: 64 }));
  assert.equal(of({ w: 64, q: 20 }), of({ w: 64 }), "PNG loses nothing");
  assert.equal(of({ w: 64, format: "png" }), of({ w: 64 }));
});

Deno.test("auto takes the smallest format that is accepted by its name, and else what everybody shows", () => {
  const auto = { w: 64, format: "auto" } as const;
  assert.equal(of(auto, "image/avif,image/webp,image/*,*/*;q=0.8"), "w64-q80-avif");
  assert.equal(of(auto, "text/html, image/webp ;q=0.9"), "w64-q80-webp");
  for (const accept of [null, "", "*/*", "image/*", "image/avifx", "x".repeat(10_000)]) {
    assert.equal(of(auto, accept), "w64-q100-png");
    assert.equal(of(auto, accept, "image/webp"), "w64-q80-jpeg");
    assert.equal(of(auto, accept, "IMAGE/JPEG; x=y"), "w64-q80-jpeg");
  }
  assert.equal(of({ w: 64 }, null, "image/gif"), "w64-q100-png");
});

Deno.test("what is no picture has no sizes", () => {
  for (
    const type of ["image/svg+xml", "text/plain", "application/pdf", "image/heic", "constructor"]
  ) {
    assert.throws(() => of({ w: 64 }, null, type), { code: "PICTURE_UNUSABLE" });
  }
});
