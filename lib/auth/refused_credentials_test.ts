import assert from "node:assert/strict";
import { whyHeaderIsRefused, whyKeyIsRefused, whyTokenIsRefused } from "./refused_credentials.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const KEY = `pk_live_${"a".repeat(43)}`;
const NOW = 1_800_000_000_000;

Deno.test("keys that are missing, sent as a bearer, malformed and unknown are told apart", () => {
  const cases: [string | null, string | null, RegExp][] = [
    [null, null, /^The API key is missing: .* as the header x-api-key\.$/],
    ["", null, /is missing/],
    [null, "Bearer eyJ.eyJ.sig", /is missing/],
    [null, `Bearer ${KEY}`, /was sent in Authorization.* as the header x-api-key instead/],
    [null, KEY, /was sent in Authorization/],
    [null, "bearer  sk_live_short", /was sent in Authorization/],
    [KEY.slice(0, -1), null, /^This is no API key/],
    [`"${KEY}"`, `Bearer ${KEY}`, /^This is no API key/],
    ["eyJ.eyJ.sig", null, /^This is no API key/],
    [KEY, null, /^No project here has this API key: it was rotated or deleted/],
    [KEY.replace("pk_", "sk_"), null, /^No project here has this API key/],
  ];
  for (const [apiKey, authorization, why] of cases) {
    assert.match(whyKeyIsRefused({ apiKey, authorization }), why, `${apiKey} ${authorization}`);
  }
});

Deno.test("a header without Bearer, and one with an API key, are told apart", () => {
  for (const header of ["", "eyJ.eyJ.sig", "Basic YTpi", "Bearer"]) {
    assert.match(whyHeaderIsRefused(header), /must stand behind "Bearer "/, header);
  }
  assert.match(whyHeaderIsRefused(KEY), /holds an API key/);
});

Deno.test("tokens of another project, expired, malformed and not valid are told apart", () => {
  const token = (claims: object) =>
    `e30.${
      new TextEncoder().encode(JSON.stringify(claims)).toBase64({
        alphabet: "base64url",
        omitPadding: true,
      })
    }.e30`;
  const exp = NOW / 1000;
  const cases: [string, RegExp][] = [
    ["word", /^This is no access token/],
    ["a.b.c", /^This is no access token/],
    [KEY, /holds an API key/],
    [token({ aud: "66f1a0c2e4b0a1b2c3d4e5f7", exp: exp - 1 }), /for another project/],
    [token({ aud: PROJECT, exp }), /has expired: renew it/],
    [token({ aud: PROJECT, exp: exp + 1 }), /not valid, or its session has ended/],
    [token({ exp: exp + 1 }), /not valid, or its session has ended/],
    [token({ aud: [PROJECT], exp: "soon" }), /not valid, or its session has ended/],
  ];
  for (const [text, why] of cases) {
    assert.match(whyTokenIsRefused(text, { projectId: PROJECT, now: NOW }), why, text);
  }
});
