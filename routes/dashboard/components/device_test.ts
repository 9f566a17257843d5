import assert from "node:assert/strict";
import { deviceText } from "./device.ts";

Deno.test("deviceText names the browser and the system", () => {
  const edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
    "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0";
  const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 " +
    "(KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1";
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  assert.equal(deviceText(edge), "Edge on Windows");
  assert.equal(deviceText(phone), "Safari on iOS");
  assert.equal(deviceText(firefox), "Firefox on Linux");
});

Deno.test("deviceText shortens an unknown user agent", () => {
  assert.equal(deviceText("curl/8.9"), "curl/8.9");
  assert.equal(deviceText("x".repeat(300)).length, 60);
  assert.equal(deviceText(null), "Unknown device");
});
