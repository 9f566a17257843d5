import assert from "node:assert/strict";
import {
  explainRefusedHeader,
  explainRefusedKey,
  explainRefusedToken,
} from "./refused_credentials.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const KEY = `pk_live_${"a".repeat(43)}`;
const NOW = 1_800_000_000_000;

Deno.test("explainRefusedKey distinguishes missing, misplaced, malformed and unknown keys", () => {
  const cases: [string | null, string | null, RegExp][] = [
    [null, null, /^The API key is missing: .* as the header x-api-key\.$/],
    ["", null, /is missing/],
    [null, "Bearer eyJ.eyJ.sig", /is missing/],
    [null, `Bearer ${KEY}`, /was sent in Authorization.* as the header x-api-key instead/],
    [null, KEY, /was sent in Authorization/],
    [null, "bearer  sk_live_short", /was sent in Authorization/],
    [KEY.slice(0, -1), null, /^This is not an API key/],
    [`"${KEY}"`, `Bearer ${KEY}`, /^This is not an API key/],
    ["eyJ.eyJ.sig", null, /^This is not an API key/],
    [KEY, null, /^No project here has this API key: it was rotated or deleted/],
    [KEY.replace("pk_", "sk_"), null, /^No project here has this API key/],
  ];
  for (const [apiKey, authorization, why] of cases) {
    assert.match(explainRefusedKey({ apiKey, authorization }), why, `${apiKey} ${authorization}`);
  }
});

Deno.test("explainRefusedHeader distinguishes a missing scheme from an API key", () => {
  for (const header of ["", "eyJ.eyJ.sig", "Basic YTpi", "Bearer"]) {
    assert.match(explainRefusedHeader(header), /must follow "Bearer "/, header);
  }
  assert.match(explainRefusedHeader(KEY), /holds an API key/);
});

Deno.test("explainRefusedToken distinguishes foreign, expired, malformed and invalid tokens", () => {
  const token = (claims: object) =>
    `e30.${
      new TextEncoder().encode(JSON.stringify(claims)).toBase64({
        alphabet: "base64url",
        omitPadding: true,
      })
    }.e30`;
  const exp = NOW / 1000;
  const cases: [string, RegExp][] = [
    ["word", /^This is not an access token/],
    ["a.b.c", /^This is not an access token/],
    [KEY, /holds an API key/],
    [token({ aud: "66f1a0c2e4b0a1b2c3d4e5f7", exp: exp - 1 }), /for another project/],
    [token({ aud: PROJECT, exp }), /has expired: renew it/],
    [token({ aud: PROJECT, exp: exp + 1 }), /not valid, or its session has ended/],
    [token({ exp: exp + 1 }), /not valid, or its session has ended/],
    [token({ aud: [PROJECT], exp: "soon" }), /not valid, or its session has ended/],
  ];
  for (const [text, why] of cases) {
    assert.match(explainRefusedToken(text, { projectId: PROJECT, now: NOW }), why, text);
  }
});
