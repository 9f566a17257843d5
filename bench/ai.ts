/** What Corbel adds to the time of an AI provider. */

import { startAiFake } from "@/tests/support/ai_fake.ts";
import { median } from "./measuring.ts";
import { startCorbel } from "./process.ts";
import type { Row } from "./row.ts";
import type { Setting } from "./seed.ts";

export const AI_ROWS: readonly Row[] = [
  {
    name: "ai_overhead_ms",
    what: "milliseconds that a query in plain words takes beyond its provider's own answer",
    target: 10,
    atLeast: false,
    measure: beyondTheProvider,
  },
];

const REQUESTS = 100;
const WARM_UP = 10;
/** As a provider takes time; it is the same on both ways. */
const THINKING_MS = 20;
const JSON_TYPE = { "content-type": "application/json" };
const QUESTION = { prompt: "the most read since Monday", collectionName: "notes" };

async function beyondTheProvider(setting: Setting): Promise<number> {
  await using fake = startAiFake();
  fake.reply(async () => {
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
    return { writes: ANSWER };
  });
  await using corbel = await startCorbel(setting.folder, {
    RATE_LIMITS: "off",
    AI_BASE_URL: fake.url,
    AI_MODEL: fake.model,
    AI_API_KEY: fake.key,
  });
  const { cookie, path } = await prepared(corbel.url);
  const own: number[] = [];
  const providers: number[] = [];
  for (let i = 0; i < REQUESTS + WARM_UP; i++) {
    if (i % ACCOUNT_QUERIES === 0) cookie.value = await freshMember(corbel.url, cookie.owner, path);
    const asked = await timed(`${corbel.url}${path}/ai/query-builder`, {
      headers: { ...JSON_TYPE, cookie: cookie.value },
      body: JSON.stringify(QUESTION),
    });
    const direct = await timed(`${fake.url}/chat/completions`, {
      headers: { ...JSON_TYPE, authorization: `Bearer ${fake.key}` },
      body: fake.asked.at(-1)!.text,
    });
    if (i < WARM_UP) continue;
    own.push(asked);
    providers.push(direct);
  }
  return Math.round((median(own) - median(providers)) * 10) / 10;
}

const ANSWER = {
  filters: [
    { field: "createdAt", operator: "gte", value: "2026-01-26T00:00:00Z" },
    { field: "views", operator: "gt", value: 10 },
  ],
  sort: "-views",
};

/** The free plan's month. */
const ACCOUNT_QUERIES = 5;

async function timed(url: string, init: RequestInit): Promise<number> {
  const before = performance.now();
  await asJson(url, init, 200);
  return performance.now() - before;
}

// deno-lint-ignore no-explicit-any -- Answers of several shapes.
async function asJson(url: string, init: RequestInit, status: number): Promise<any> {
  const answer = await fetch(url, { method: "POST", ...init });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return { ...JSON.parse(text), cookie: answer.headers.getSetCookie()[0]?.split(";")[0] };
}

const register = (url: string, email: string) =>
  asJson(`${url}/api/auth/register`, {
    headers: JSON_TYPE,
    body: JSON.stringify({ email, password: "seven wet stones 41" }),
  }, 201);

/** A project with a collection, and its owner's session. */
async function prepared(url: string) {
  const { cookie: owner } = await register(url, `${crypto.randomUUID()}@example.com`);
  const headers = { ...JSON_TYPE, cookie: owner };
  const { data } = await asJson(`${url}/api/projects`, {
    headers,
    body: JSON.stringify({ name: "Bench" }),
  }, 201);
  const path = `/api/projects/${data.projectId}`;
  const fields = [{ key: "views", type: "Number" }, { key: "title", type: "String" }];
  await asJson(`${url}${path}/collections`, {
    headers,
    body: JSON.stringify({ name: QUESTION.collectionName, fields }),
  }, 201);
  return { cookie: { owner, value: owner }, path };
}

/** Another admin, whose month is not used up. */
async function freshMember(url: string, owner: string, path: string): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { cookie } = await register(url, email);
  const { data } = await asJson(`${url}${path}/members`, {
    headers: { ...JSON_TYPE, cookie: owner },
    body: JSON.stringify({ email, role: "admin" }),
  }, 201);
  await asJson(`${url}/api/invitations/accept`, {
    headers: { ...JSON_TYPE, cookie },
    body: JSON.stringify({ token: data.token }),
  }, 200);
  return cookie;
}
