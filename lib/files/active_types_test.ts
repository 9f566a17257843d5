import assert from "node:assert/strict";
import { dangerOf, isShownInline } from "./active_types.ts";

Deno.test("dangerOf returns runs for scripts, styles and WebAssembly in every spelling", () => {
  const scripts = [
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    ...[0, 1, 2, 3, 4, 5].map((minor) => `text/javascript1.${minor}`),
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
  ];
  for (const type of [...scripts, "text/css", "application/wasm"]) {
    for (
      const spelt of [
        type,
        type.toUpperCase(),
        ` ${type} `,
        `${type};charset=utf-8`,
        `${type} ;a=b`,
      ]
    ) {
      assert.equal(dangerOf(spelt), "runs", spelt);
    }
  }
});

Deno.test("dangerOf returns opens for HTML and every XML type", () => {
  const types = [
    "text/html",
    "text/xml",
    "text/xsl",
    "application/xml",
    "application/xml-dtd",
    "application/xhtml+xml",
    "image/svg+xml",
    "application/vnd.mozilla.xul+xml",
    "x/y+xml",
  ];
  for (const type of types) {
    for (const spelt of [type, type.toUpperCase(), `${type}; charset=utf-7`]) {
      assert.equal(dangerOf(spelt), "opens", spelt);
    }
  }
});

Deno.test("dangerOf returns runs for an invalid or ambiguous content type", () => {
  const types = [
    "",
    "text",
    "text/",
    "/html",
    "text/plain, text/html",
    "text/plain;a=b, text/html",
    "text/plain\r\nx: y",
    "text/plain;\0",
    "text /html",
    "*/*",
    "unknown/unknown",
    "multipart/mixed; boundary=x",
    "message/rfc822",
  ];
  for (const type of types) assert.equal(dangerOf(type), "runs", type);
});

Deno.test("dangerOf returns null for harmless types", () => {
  const types = [
    "text/plain",
    "image/png",
    "application/pdf",
    "application/json",
    "application/octet-stream",
    "text/csv; header=present",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text/x-htmlish",
    "application/xmlish",
  ];
  for (const type of types) {
    assert.equal(dangerOf(type), null, type);
    assert.equal(isShownInline(type, false), true, type);
  }
});

Deno.test("isShownInline accepts only passive types on the dashboard's host", () => {
  const passive = [
    "image/png",
    "IMAGE/JPEG",
    "image/webp; a=b",
    "audio/mpeg",
    "video/mp4",
    "font/woff2",
    "text/plain; charset=utf-8",
    "text/csv",
    "application/json",
  ];
  for (const type of passive) assert.equal(isShownInline(type, true), true, type);
  const others = [
    "application/pdf",
    "application/x-pdf",
    "application/octet-stream",
    "application/zip",
    "application/x-shockwave-flash",
    "application/java-archive",
    "application/ld+json",
    "application/xmlish",
    "image/x-anything",
    "image/vnd.adobe.photoshop",
    "text/markdown",
    "text/calendar",
    "text/x-htmlish",
    "model/gltf+json",
    "x/y",
  ];
  for (const type of others) assert.equal(isShownInline(type, true), false, type);
  const active = ["", "text/html", "image/svg+xml", "audio/x+xml", "video/x+xml", "text/css"];
  for (const type of active) {
    for (const sharesHost of [true, false]) {
      assert.equal(isShownInline(type, sharesHost), false, type);
    }
  }
});
