import assert from "node:assert/strict";
import { chooseSize, PICTURE_STEPS, variantOf } from "./picture_size.ts";

const variantFor = (
  requested: Parameters<typeof chooseSize>[1],
  accept: string | null = null,
  type = "image/png",
) => variantOf(chooseSize(type, requested, accept));

Deno.test("chooseSize rounds sizes up to a fixed list and quality to five steps", () => {
  assert.equal(variantFor({ w: 1 }), "w16-q100-png");
  assert.equal(variantFor({ w: 16 }), "w16-q100-png");
  assert.equal(variantFor({ w: 17, h: 2048 }), "w32-h2048-q100-png");
  assert.equal(variantFor({ h: 1537, format: "webp" }), "h2048-q80-webp");
  assert.equal(variantFor({ w: 100, format: "jpeg", q: 1 }), "w128-q20-jpeg");
  assert.equal(variantFor({ w: 100, format: "jpeg", q: 61 }), "w128-q80-jpeg");
  assert.equal(variantFor({ format: "avif", q: 100 }), "w2048-h2048-q100-avif");
  assert.equal(PICTURE_STEPS.at(-1), 2048);
  const sizes = new Set<string>();
  for (let w = 1; w <= 2048; w++) sizes.add(variantFor({ w }));
  assert.equal(sizes.size, 13);
  const qualities = new Set<string>();
  for (let q = 1; q <= 100; q++) qualities.add(variantFor({ w: 1, format: "avif", q }));
  assert.equal(qualities.size, 5);
});

Deno.test("chooseSize ignores parameters that make no difference", () => {
  assert.equal(variantFor({ w: 64, fit: "cover" }), variantFor({ w: 64 }));
  assert.equal(variantFor({ w: 64, h: 64, fit: "contain" }), variantFor({ w: 64, h: 64 }));
  assert.notEqual(variantFor({ w: 64, h: 64, fit: "cover" }), variantFor({ w: 64, h: 64 }));
  assert.equal(variantFor({ w: 64, q: 20 }), variantFor({ w: 64 }), "PNG is lossless");
  assert.equal(variantFor({ w: 64, format: "png" }), variantFor({ w: 64 }));
});

Deno.test("chooseSize with auto takes the most compact format that is accepted by name", () => {
  const auto = { w: 64, format: "auto" } as const;
  assert.equal(variantFor(auto, "image/avif,image/webp,image/*,*/*;q=0.8"), "w64-q80-avif");
  assert.equal(variantFor(auto, "text/html, image/webp ;q=0.9"), "w64-q80-webp");
  for (const accept of [null, "", "*/*", "image/*", "image/avifx", "x".repeat(10_000)]) {
    assert.equal(variantFor(auto, accept), "w64-q100-png");
    assert.equal(variantFor(auto, accept, "image/webp"), "w64-q80-jpeg");
    assert.equal(variantFor(auto, accept, "IMAGE/JPEG; x=y"), "w64-q80-jpeg");
  }
  assert.equal(variantFor({ w: 64 }, null, "image/gif"), "w64-q100-png");
});

Deno.test("chooseSize refuses types that cannot be resized", () => {
  for (
    const type of ["image/svg+xml", "text/plain", "application/pdf", "image/heic", "constructor"]
  ) {
    assert.throws(() => variantFor({ w: 64 }, null, type), { code: "PICTURE_UNUSABLE" });
  }
});
