import assert from "node:assert/strict";
import { dangerOf, isShown } from "./active_types.ts";

Deno.test("scripts, styles and WebAssembly run, in every spelling that browsers know", () => {
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

Deno.test("HTML and every XML open", () => {
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

Deno.test("what is no content type, or could be taken for two, runs for all we know", () => {
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

Deno.test("all else does neither", () => {
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
    assert.equal(isShown(type, false), true, type);
  }
});

Deno.test("at the dashboard's host only what is known to be passive is shown", () => {
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
  for (const type of passive) assert.equal(isShown(type, true), true, type);
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
  for (const type of others) assert.equal(isShown(type, true), false, type);
  const active = ["", "text/html", "image/svg+xml", "audio/x+xml", "video/x+xml", "text/css"];
  for (const type of active) {
    for (const sharesHost of [true, false]) assert.equal(isShown(type, sharesHost), false, type);
  }
});
