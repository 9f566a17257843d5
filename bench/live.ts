/** Live lists: the latency of changes for all listeners, and the cost of recording a change. */
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { ask, jsonRequest, medianRatio } from "./measuring.ts";
import { cpuSeconds, type Program, residentMb, startBare, startCorbel } from "./process.ts";
import type { Row } from "./report.ts";
import { openProject, openStore, type Setting, temporaryFolder } from "./seed.ts";

/** Cost of recording a change. On MongoDB it is measured in time, mostly the server's. */
export const RECORDED_INSERTS: Row = {
  name: "insert_with_events",
  description: "processor time of an insert whose change is recorded, over one that is not",
  atMost: 1.3,
  measure: recordedInserts,
};

export const LIVE_ROWS: readonly Row[] = [
  RECORDED_INSERTS,
  {
    name: "live_fanout_p99_ms",
    description:
      "from a write's beginning to each of 50 listeners, of 5,000, with 100 writes a second",
    atMost: 250,
    measure: async () => (await fanOut()).p99,
  },
  {
    name: "live_fanout_mb",
    description:
      "resident memory that this takes beyond what a bare server does, both from their start",
    atMost: 200,
    measure: async () => (await fanOut()).grownMb - (await fanOutOfBare()).grownMb,
  },
  {
    name: "webhook_per_s",
    description:
      "messages per second to one receiver, of documents inserted at the same time: for sizing",
    measure: webhookMessages,
  },
];

const COLLECTION = {
  rls: { mode: "public-read" },
  strict: false,
  fields: [
    { key: "title", type: "String" },
    { key: "views", type: "Number", index: true },
    { key: "sentAt", type: "Number" },
  ],
};

type Keys = Readonly<Record<"publishableKey" | "secretKey", string>>;

/** Creates a project and closes the store, because this process's work would help the server. */
async function createProjectIn(
  settings: Environment,
  collections: readonly object[],
  prepare?: (services: Services, projectId: Id) => Promise<void>,
): Promise<Keys> {
  await using services = await openStore(settings);
  const project = await openProject(services, collections);
  await prepare?.(services, project.projectId);
  return project;
}

const now = (): number => performance.timeOrigin + performance.now();

const insert = (url: string, { secretKey }: Keys, collection: string) =>
  ask(jsonRequest(
    `${url}/api/data/${collection}`,
    { "x-api-key": secretKey },
    { title: "x".repeat(200), views: 1, sentAt: now() },
  ));

const CONCURRENT_INSERT_COUNT = 16;

async function insertMany(url: string, keys: Keys, collection: string, count: number) {
  for (let i = 0; i < count; i += CONCURRENT_INSERT_COUNT) {
    const some = Math.min(CONCURRENT_INSERT_COUNT, count - i);
    await Promise.all(Array.from({ length: some }, () => insert(url, keys, collection)));
  }
}

const ROUND_COUNT = 15;
const INSERT_COUNT = 1_500;

async function recordedInserts({ mongodb, settings }: Setting): Promise<number> {
  const project = await createProjectIn(settings, [
    { ...COLLECTION, name: "quiet" },
    { ...COLLECTION, name: "recorded", events: true },
  ]);
  await using corbel = await startCorbel(settings);
  const spent = () =>
    mongodb === null ? cpuSeconds(corbel.pid) : Promise.resolve(performance.now() / 1000);
  const cost = (collection: string) => async () => {
    const before = await spent();
    await insertMany(corbel.url, project, collection, INSERT_COUNT);
    return (await spent() - before) * 1e6 / INSERT_COUNT;
  };
  return await medianRatio(ROUND_COUNT, cost("recorded"), cost("quiet"));
}

const PROJECT_COUNT = 5;
const COLLECTION_COUNT = 20;
const LISTENER_COUNT = 50;
/** Number of writes per second. */
const WRITES_PER_SECOND = 100;
const SECONDS = 30;
/** Milliseconds after the last write in which all events must arrive. */
const DELIVERY_MS = 3_000;

type FanOut = Readonly<Record<"p99" | "grownMb", number>>;

let fannedOut: Promise<FanOut> | undefined;

const fanOut = (): Promise<FanOut> => fannedOut ??= fanOutOfCorbel();

async function fanOutOfCorbel(): Promise<FanOut> {
  await using folder = await temporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${folder.path}` };
  const collections = Array.from(
    { length: COLLECTION_COUNT },
    (_, c) => ({ ...COLLECTION, name: `c${c}`, events: true }),
  );
  const projects: Keys[] = [];
  while (projects.length < PROJECT_COUNT) {
    projects.push(await createProjectIn(settings, collections));
  }
  await using corbel = await startCorbel({ ...settings, TRUST_PROXY: "1", LOG_LEVEL: "error" });
  return await measureFanOut(corbel, projects, (_project, c) => `c${c}`);
}

async function fanOutOfBare(): Promise<FanOut> {
  await using bare = await startBare("bare", "broadcast");
  const projects = Array<Keys>(PROJECT_COUNT).fill({ publishableKey: "", secretKey: "" });
  return await measureFanOut(bare, projects, (project, c) => `c${project}_${c}`);
}

async function measureFanOut(
  server: Program,
  projects: readonly Keys[],
  nameOf: (project: number, collection: number) => string,
): Promise<FanOut> {
  const before = await residentMb(server.pid);
  const latencies: number[] = [];
  await using listeners = new AsyncDisposableStack();
  for (const [p, { publishableKey }] of projects.entries()) {
    for (let c = 0; c < COLLECTION_COUNT; c++) {
      const url = `${server.url}/api/data/${nameOf(p, c)}/live?limit=1`;
      await Promise.all(Array.from({ length: LISTENER_COUNT }, async (_, i) => {
        const headers = { "x-api-key": publishableKey, "x-forwarded-for": `10.${p}.${c}.${i}` };
        listeners.use(await listen(url, headers, (sentAt) => latencies.push(now() - sentAt)));
      }));
    }
  }
  const writes = SECONDS * WRITES_PER_SECOND;
  const begun = performance.now();
  for (let i = 0; i < writes; i++) {
    const due = begun + i * 1_000 / WRITES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const p = i % PROJECT_COUNT;
    void insert(
      server.url,
      projects[p]!,
      nameOf(p, Math.floor(i / PROJECT_COUNT) % COLLECTION_COUNT),
    );
  }
  const grownMb = await residentMb(server.pid) - before;
  await new Promise((resolve) => setTimeout(resolve, DELIVERY_MS));
  if (latencies.length !== writes * LISTENER_COUNT) {
    throw new Error(`${writes} writes were received ${latencies.length} times`);
  }
  latencies.sort((a, b) => a - b);
  return { p99: Math.round(latencies[Math.floor(latencies.length * 0.99)]!), grownMb };
}

/** Opens a live list with a plain socket, because `fetch` would take longer than the server. */
async function listen(
  url: string,
  headers: Readonly<Record<string, string>>,
  heard: (sentAt: number) => void,
): Promise<AsyncDisposable> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = await Deno.connect({ hostname, port: Number(port) });
  const lines = Object.entries({ host: hostname, ...headers }).map((line) => line.join(": "));
  const head = [`GET ${pathname}${search} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  await socket.write(new TextEncoder().encode(head));
  const opened = Promise.withResolvers<void>();
  let rest = "";
  const reading = (async () => {
    for await (const text of socket.readable.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split("\n\n");
      rest = events.pop()!;
      for (const event of events) {
        if (event.includes("event: list")) opened.resolve();
        const [, sentAt] = /event: change[^]*"sentAt":([\d.]+)/.exec(event) ?? [];
        if (sentAt !== undefined) heard(Number(sentAt));
      }
    }
  })().catch(() => {});
  await opened.promise;
  return {
    async [Symbol.asyncDispose]() {
      socket.close();
      await reading;
    },
  };
}

const MESSAGE_COUNT = 3_000;

async function webhookMessages(): Promise<number> {
  await using folder = await temporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${folder.path}`, ALLOW_PRIVATE_ENDPOINTS: "true" };
  const all = Promise.withResolvers<void>();
  const received = new Set<string>();
  const onListen = () => {};
  await using receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, (request) => {
    received.add(request.headers.get("webhook-id")!);
    if (received.size === MESSAGE_COUNT) all.resolve();
    return new Response();
  });
  const url = `http://127.0.0.1:${receiver.addr.port}`;
  const collection = { ...COLLECTION, name: "messages", events: true };
  const project = await createProjectIn(settings, [collection], async (services, projectId) => {
    await createWebhook(services, projectId, {
      name: "Bench",
      url,
      events: { messages: ["created"] },
    });
  });
  await using corbel = await startCorbel(settings);
  const begun = performance.now();
  await insertMany(corbel.url, project, "messages", MESSAGE_COUNT);
  await all.promise;
  return Math.round(MESSAGE_COUNT / ((performance.now() - begun) / 1_000));
}
