import assert from "node:assert/strict";
import { textBytes, uploadFile } from "../api/blobs.ts";
import { openFiles } from "../api/files.ts";
import { get, head } from "../api/served.ts";
import { openTestApp } from "../support/test_app.ts";

/** File types that browsers, their viewers or extensions execute. */
const ACTIVE = [
  "application/pdf",
  "Application/PDF; x=y",
  "application/x-pdf",
  "text/html",
  "text/xml",
  "application/xml",
  "application/xhtml+xml",
  "image/svg+xml",
  "audio/x+xml",
  "application/vnd.mozilla.xul+xml",
  "application/xslt+xml",
  "text/javascript",
  "text/css",
  "application/wasm",
  "application/x-shockwave-flash",
  "application/java-archive",
  "application/x-chrome-extension",
  "application/x-xpinstall",
  "application/manifest+json",
  "text/cache-manifest",
  "text/calendar",
  "multipart/related",
  "message/rfc822",
  "x/unheard-of",
];

Deno.test("active file: the dashboard's host displays only passive types", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const type of ACTIVE) {
    const text = `${/pdf/i.test(type) ? "%PDF-1.7 " : ""}<script>alert(1)</script>`;
    const path = await uploadFile(files, textBytes(text), type);
    for (const { headers } of [await get(app, path), await head(app, path)]) {
      assert.match(headers.get("content-disposition")!, /^attachment;/, type);
      assert.match(headers.get("content-security-policy")!, /sandbox$/, type);
      assert.equal(headers.get("x-content-type-options"), "nosniff", type);
    }
  }
});
