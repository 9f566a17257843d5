import assert from "node:assert/strict";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ACCOUNTS } from "@/lib/projects/account_records.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { onEach, openCollection } from "./on_each.ts";
import { isDashboards, type Sample, sampleCalls } from "./sample_calls.ts";
import { refused } from "./test_collection.ts";

const OWN = "https://corbel.example.com";
const ENV = { PUBLIC_URL: OWN };
const SAMPLES = sampleCalls().filter(isDashboards);
const SAFE = ["GET", "HEAD", "OPTIONS"];

type Headers = Record<string, string>;

/** Headers that the dashboard's own pages and other programs send. */
const ADMITTED: Record<string, Headers> = {
  "neither header": {},
  "the own site": { "sec-fetch-site": "same-origin" },
  "the own site and origin": { "sec-fetch-site": "same-origin", origin: OWN },
  "the own site, of a page without a referrer": {
    "sec-fetch-site": "same-origin",
    origin: "null",
  },
  "typed by the user": { "sec-fetch-site": "none" },
  "the own origin, of an older browser": { origin: OWN },
};

/** Headers that pages of other sites make a browser send. */
const REFUSED: Record<string, Headers> = {
  "another site": { "sec-fetch-site": "cross-site" },
  "another host of this site": { "sec-fetch-site": "same-site" },
  "another host of this site, with the own origin": { "sec-fetch-site": "same-site", origin: OWN },
  "another site, with the own origin": { "sec-fetch-site": "cross-site", origin: OWN },
  "another origin that the browser takes for the own site": {
    "sec-fetch-site": "same-origin",
    origin: "https://evil.example",
  },
  "another origin, typed by the user": {
    "sec-fetch-site": "none",
    origin: "https://evil.example",
  },
  "another port of the own host, as the own site": {
    "sec-fetch-site": "same-origin",
    origin: `${OWN}:8443`,
  },
  "a name of this machine, where the server has another": {
    "sec-fetch-site": "same-origin",
    origin: "https://localhost",
  },
  "an unknown word": { "sec-fetch-site": "own" },
  "two words": { "sec-fetch-site": "same-origin, cross-site" },
  "an empty word": { "sec-fetch-site": "" },
  "another origin": { origin: "https://evil.example" },
  "an origin that begins like the own": { origin: `${OWN}.evil.example` },
  "an origin that ends like the own": { origin: "https://evil-corbel.example.com" },
  "another host's origin": { origin: "https://app.corbel.example.com" },
  "another scheme": { origin: "http://corbel.example.com" },
  "another port": { origin: `${OWN}:8443` },
  "an opaque origin": { origin: "null" },
  "an empty origin": { origin: "" },
};

async function stored({ services: { engine } }: TestApp): Promise<string> {
  const lists = [ACCOUNTS, ACCOUNT_SESSIONS].map((one) =>
    engine.records("control", one).list({ filter: ALL, sort: [], limit: 100 })
  );
  return (await Promise.all(lists)).map(({ items }) => items).join("\n");
}

Deno.test("the cross-site rule covers every dashboard operation, including sign-in", () => {
  const ids = SAMPLES.map(({ operationId }) => operationId);
  for (const id of ["registerAccount", "signInAccount", "signOutAccount", "deleteAccount"]) {
    assert.ok(ids.includes(id), id);
  }
  assert.ok(UNSAFE.length >= 6);
});

async function open() {
  const collection = await openCollection({ env: ENV });
  return { ...collection, cookie: (await collection.project.owner()).cookie };
}

function assertAdmitted(kind: string, { body }: Answer): void {
  const code = body?.code;
  assert.ok(code !== "CROSS_SITE_REQUEST" && code !== "SIGN_IN_REQUIRED", `${kind}: ${code}`);
}

const isSafe = ({ call }: Sample): boolean => SAFE.includes(call.method!);

onEach(
  "cross-site requests that change nothing are accepted",
  SAMPLES.filter(isSafe),
  open,
  async ({ call }, { app, cookie }) => {
    for (const [kind, headers] of Object.entries({ ...ADMITTED, ...REFUSED })) {
      assertAdmitted(kind, await app.send({ ...call, headers: { ...headers, cookie } }));
    }
  },
);

const UNSAFE = SAMPLES.filter((sample) => !isSafe(sample));

for (const { operationId, call } of UNSAFE) {
  Deno.test(`${operationId}: own pages and programs are accepted`, async () => {
    await using app = await openTestApp({ env: ENV });
    for (const [kind, headers] of Object.entries(ADMITTED)) {
      const { cookie } = await (await app.project()).owner();
      assertAdmitted(kind, await app.send({ ...call, headers: { ...headers, cookie } }));
    }
  });
}

onEach(
  "cross-site requests that change something are refused and change nothing",
  UNSAFE,
  open,
  async ({ call }, { app, cookie, untouched }) => {
    const before = await stored(app);
    const broken = call.body === undefined ? call : { ...call, body: '{"broken":' };
    await untouched(async () => {
      for (const [kind, headers] of Object.entries(REFUSED)) {
        for (const one of [call, broken]) {
          for (const cookies of [{ cookie }, {}]) {
            const answer = await app.send({ ...one, headers: { ...headers, ...cookies } });
            assert.equal(answer.status, 403, `${kind}: ${answer.text}`);
            refused(answer, 403, "CROSS_SITE_REQUEST");
            assert.deepEqual(answer.headers.getSetCookie(), []);
          }
        }
      }
    });
    assert.equal(await stored(app), before);
  },
);
