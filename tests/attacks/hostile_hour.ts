/**
 * Measures reads of one project while callers of another project send the most expensive allowed
 * requests to every operation and every page, in turn, with bodies from a small form up to the
 * maximum, repeatedly.
 *
 *     deno task bench:hostile [--minutes=60] [--mongodb]
 */
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import type { SizeOf } from "./hostile_calls.ts";
import { TextLineStream } from "@/tests/contract/text_lines.ts";
import { startMongodb } from "@/tests/services/mongodb_server.ts";
import type { Call } from "@/tests/support/conforming_client.ts";
import type { Reading, ReadSample } from "./hostile_reader.ts";
import { openHostileFixture, openReadable, type Volley } from "./hostile_fixture.ts";
import { residentMb, startCorbel } from "@/bench/process.ts";
import { openStore, temporaryFolder } from "@/bench/seed.ts";

/** Bytes of a form that changes a few fields. */
const FORM_BYTES = 8192;
const SIZES: readonly SizeOf[] = [
  (bytesMax) => Math.min(bytesMax, FORM_BYTES),
  (bytesMax) => Math.min(bytesMax, SMALL_BODY_BYTES_MAX),
  (bytesMax) => Math.ceil(bytesMax / 4),
  (bytesMax) => bytesMax,
];
/** Reads per second, few enough not to delay each other. */
const READS_PER_SECOND = 200;
/** Milliseconds of a pause after every few volleys, in which reads are measured alone. */
const ALONE_MS = 2_000;
const ALONE_EVERY = 20;
const TIMEOUT_MS = 120_000;
const SENDER_NICENESS = 10;
const PRINTED_REQUESTS_MAX = 25;
const PRINTED_FAILURES_MAX = 10;

/** The time of a request, in milliseconds since 1970. */
interface SentRequest {
  readonly what: string;
  readonly status: number;
  readonly from: number;
  readonly until: number;
}

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    minutes: { type: "string", default: "60" },
    mongodb: { type: "boolean", default: false },
  },
});
const now = () => performance.timeOrigin + performance.now();
const end = now() + Number(options.minutes) * 60_000;

async function measure(settings: Record<string, string>): Promise<void> {
  await using services = await openStore(settings);
  await using corbel = await startCorbel({ ...settings, RATE_LIMITS: "off" });
  const { key, urls } = await openReadable(services, corbel.url);
  const samples: ReadSample[] = [];
  await using _reader = startReader({ urls, key, everyMs: 1000 / READS_PER_SECOND }, samples);
  // The sender has lower priority, because a real sender runs on other machines.
  setPriority(0, SENDER_NICENESS);

  let fixture = await openHostileFixture(services, corbel.url);
  const sent: SentRequest[] = [];
  const alone: [number, number][] = [];
  let residentMax = 0;
  for (let round = 0, volleys: Volley[] = []; now() < end; round++) {
    if (volleys.length === 0) volleys = shuffled(fixture.volleys);
    if (round % ALONE_EVERY === 0) {
      await delay(ALONE_MS);
      alone.push([now(), now() + ALONE_MS]);
      await delay(ALONE_MS);
    }
    const sizeOf = SIZES[Math.floor(round / fixture.volleys.length) % SIZES.length]!;
    const { name, calls } = volleys.pop()!;
    for (const { what, call } of calls(sizeOf)) {
      sent.push(await send(corbel.url, `${name}: ${what}`, call));
      if (now() > end) break;
    }
    residentMax = Math.max(residentMax, await residentMb(corbel.pid));
    if (await fixture.isComplete()) continue;
    fixture = await openHostileFixture(services, corbel.url);
    const left = new Set(volleys.map((volley) => volley.name));
    volleys = fixture.volleys.filter((volley) => left.has(volley.name));
  }
  report(samples, { sent, alone, residentMax });
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function shuffled<T>(values: readonly T[]): T[] {
  return values.map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at).map(({ value }) => value);
}

async function send(url: string, what: string, { method = "GET", path, headers, body }: Call) {
  const from = now();
  let status = 0;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method, headers: new Headers(headers), body: body as string, signal };
    const response = await fetch(url + path, { ...init, redirect: "manual" });
    // An endless response is canceled after its start.
    const isEndless = response.headers.get("content-type") === "text/event-stream";
    for await (const _ of response.body ?? []) if (isEndless) break;
    status = response.status;
  } catch {
    // The server closed the connection, or did not respond in time.
  }
  return { what, status, from, until: now() };
}

/** Adds reads to `samples` until it is disposed. */
function startReader(reading: Reading, samples: ReadSample[]): AsyncDisposable {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net=127.0.0.1", new URL("hostile_reader.ts", import.meta.url).pathname],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const samplesRead = (async () => {
    await new Blob([JSON.stringify(reading)]).stream().pipeTo(child.stdin);
    const lines = child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream());
    for await (const line of lines) samples.push(...JSON.parse(line) as ReadSample[]);
  })();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await Promise.all([child.status, samplesRead]);
    },
  };
}

interface Measurement {
  readonly sent: readonly SentRequest[];
  readonly alone: readonly (readonly [number, number])[];
  readonly residentMax: number;
}

function report(samples: readonly ReadSample[], { sent, alone, residentMax }: Measurement): void {
  const sorted = samples.toSorted(([a], [b]) => a - b);
  const aloneMs: number[] = [];
  const attackedMs: number[] = [];
  const slowest = new Map<SentRequest, number>();
  let next = 0;
  for (const [at, ms] of sorted) {
    if (alone.some(([from, until]) => at >= from && at + ms <= until)) aloneMs.push(ms);
    while (next < sent.length && sent[next]!.until < at) next++;
    let isAttacked = false;
    for (let i = next; i < sent.length && sent[i]!.from < at + ms; i++) {
      isAttacked = true;
      slowest.set(sent[i]!, Math.max(slowest.get(sent[i]!) ?? 0, ms));
    }
    if (isAttacked) attackedMs.push(ms);
  }
  const statuses = Object.entries(Object.groupBy(sent, ({ status }) => status))
    .map(([status, those]) => `${status}: ${those!.length}`).join(", ");
  console.log(`${sent.length} requests, answered with ${statuses}; at most ${residentMax} MiB`);
  console.log(`reads alone: ${percentilesOf(aloneMs)}`);
  console.log(`reads during attacks: ${percentilesOf(attackedMs)}`);
  console.log(
    `p99 during attacks over alone: ${
      (quantile(attackedMs, 0.99) / quantile(aloneMs, 0.99)).toFixed(2)
    }`,
  );
  console.log(`reads refused: ${samples.filter(([, , status]) => status !== 200).length}`);
  const failed = sent.filter(({ status }) => status === 0 || status === 500);
  for (const { what, status } of failed.slice(0, PRINTED_FAILURES_MAX)) {
    console.log(`${status}: ${what}`);
  }
  console.log("The longest that a read took while one request was in flight:");
  const worst = [...slowest].sort(([, a], [, b]) => b - a).slice(0, PRINTED_REQUESTS_MAX);
  for (const [{ what, status, from, until }, ms] of worst) {
    console.log(`${ms.toFixed(0)} ms, ${what}: ${status} in ${(until - from).toFixed(0)} ms`);
  }
}

const percentilesOf = (values: readonly number[]): string =>
  `${values.length}, ` + [0.5, 0.9, 0.99, 0.999, 1]
    .map((part) => `p${part * 100} ${quantile(values, part).toFixed(1)}`).join(", ") +
  " ms";

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

await using folder = await temporaryFolder();
await using mongodb = options.mongodb ? await startMongodb() : null;
const database = mongodb === null ? { DATABASE_URL: `sqlite:${folder.path}` } : {
  DATABASE_URL: mongodb.url.replace("/?", "/bench?"),
  SECRET_KEYS: `bench:${btoa("hostile requests during reading ")}`,
};
// Enables plans, because they limit the callers.
await measure({ STORAGE_URL: `file:${folder.path}/files`, ...database, PLANS: "on" });
