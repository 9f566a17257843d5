/** Live lists: how soon all who listen hear of a change, and what recording changes costs a write. */
import { createCollection } from "@/lib/documents/save_collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createWebhook } from "@/lib/events/webhooks/manage.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices } from "@/lib/services.ts";
import { cpuSeconds, type Program, residentMb, startBare, startCorbel } from "./process.ts";
import { median } from "./measuring.ts";
import type { Row } from "./row.ts";
import { payingAccount, type Setting } from "./seed.ts";

/** On MongoDB in time, which the server takes most of. */
export const RECORDED_INSERTS: Row = {
  name: "insert_with_events",
  what: "processor time of an insert whose change is recorded, over one that is not",
  target: 1.3,
  atLeast: false,
  measure: recordedInserts,
};

export const LIVE_ROWS: readonly Row[] = [
  RECORDED_INSERTS,
  {
    name: "live_fanout_p99_ms",
    what: "from a write's beginning to each of 50 listeners, of 5,000, with 100 writes a second",
    target: 250,
    atLeast: false,
    measure: async () => (await fanOut()).p99,
  },
  {
    name: "live_fanout_mb",
    what: "resident memory that this takes beyond what a bare server does, both from their start",
    target: 200,
    atLeast: false,
    measure: async () => (await fanOut()).grownMb - (await besideBare()).grownMb,
  },
  {
    name: "webhook_per_s",
    what: "messages per second to one receiver, of documents that are inserted meanwhile",
    target: null,
    atLeast: true,
    measure: () => webhookMessages(),
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

interface OpenProject {
  readonly projectId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
}

/** Projects with so many collections each, `c0` and so on. */
async function projectsIn(
  settings: Readonly<Record<string, string>>,
  { projects, collections, events }: {
    readonly projects: number;
    readonly collections: number;
    readonly events: (at: number) => boolean;
  },
): Promise<OpenProject[]> {
  const config = loadConfig({ SQLITE_SYNC: "normal", ...settings });
  using log = createLog("error", (text) => console.error(text));
  await using services = await openServices(config, { log });
  const ownerId = await payingAccount(services);
  const made: OpenProject[] = [];
  for (let i = 0; i < projects; i++) {
    const project = await createProject(services, { name: "Bench", siteUrl: null, ownerId });
    for (let c = 0; c < collections; c++) {
      const definition = parseDefinition({ ...COLLECTION, name: `c${c}`, events: events(c) });
      await createCollection(services, project.projectId, definition);
    }
    made.push(project);
  }
  return made;
}

const ROUNDS = 15;
const INSERTS = 1_500;
const AT_ONCE = 16;

const onFolder = (folder: string) => ({ DATABASE_URL: `sqlite:${folder}` });

function recordedInserts({ mongodb, settings: given }: Setting): Promise<number> {
  return inFolder(async (folder) => {
    const settings = mongodb === null ? onFolder(folder) : given;
    const events = (at: number) => at === 1;
    const [project] = await projectsIn(settings, { projects: 1, collections: 2, events });
    await using corbel = await startCorbel(folder, settings);
    const spent = () =>
      mongodb === null ? cpuSeconds(corbel.pid) : Promise.resolve(performance.now() / 1000);
    const cost = async (collection: string): Promise<number> => {
      const before = await spent();
      for (let i = 0; i < INSERTS; i += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, () => insert(corbel.url, project!, collection)),
        );
      }
      return await spent() - before;
    };
    await cost("c0");
    await cost("c1");
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [quiet, recorded] = [await cost("c0"), await cost("c1")];
      ratios.push(recorded / quiet);
    }
    return Math.round(median(ratios) * 100) / 100;
  });
}

const now = (): number => performance.timeOrigin + performance.now();

async function insert(url: string, { secretKey }: OpenProject, collection: string) {
  const response = await fetch(`${url}/api/data/${collection}`, {
    method: "POST",
    headers: { "x-api-key": secretKey, "content-type": "application/json" },
    body: JSON.stringify({ title: "x".repeat(200), views: 1, sentAt: now() }),
  });
  if (!response.ok) throw new Error(`An insert was answered ${response.status}`);
  await response.body?.cancel();
}

const PROJECTS = 5;
const COLLECTIONS = 20;
const LISTENERS = 50;
const WRITES_PER_SECOND = 100;
const SECONDS = 30;
/** What was written last has arrived by then, or is lost. */
const LATE_MS = 3_000;

interface FanOut {
  readonly p99: number;
  readonly grownMb: number;
}

let fannedOut: Promise<FanOut> | null = null;

/** Measured once for both rows. */
const fanOut = (): Promise<FanOut> =>
  fannedOut ??= inFolder(async (folder) => {
    const counts = { projects: PROJECTS, collections: COLLECTIONS, events: () => true };
    const projects = await projectsIn(onFolder(folder), counts);
    await using corbel = await startCorbel(folder, { TRUST_PROXY: "1", LOG_LEVEL: "error" });
    return await measureFanOut(corbel, projects, (_project, c) => `c${c}`);
  });

async function besideBare(): Promise<FanOut> {
  await using bare = await startBare("bare", "tell");
  const projects = Array.from({ length: PROJECTS }, () => ({
    projectId: "",
    publishableKey: "",
    secretKey: "",
  }));
  return await measureFanOut(bare, projects, (project, c) => `c${project}_${c}`);
}

async function measureFanOut(
  server: Program,
  projects: readonly OpenProject[],
  nameOf: (project: number, collection: number) => string,
): Promise<FanOut> {
  const before = await residentMb(server.pid);
  const latencies: number[] = [];
  await using listeners = new AsyncDisposableStack();
  for (const [p, project] of projects.entries()) {
    for (let c = 0; c < COLLECTIONS; c++) {
      await Promise.all(Array.from({ length: LISTENERS }, async (_, i) => {
        const address = `10.${p}.${c}.${i}`;
        const heard = (sentAt: number) => void latencies.push(now() - sentAt);
        const collection = nameOf(p, c);
        listeners.use(await listen(server.url, { project, collection, address, heard }));
      }));
    }
  }
  const writes = SECONDS * WRITES_PER_SECOND;
  const begun = performance.now();
  for (let i = 0; i < writes; i++) {
    const due = begun + i * 1_000 / WRITES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const p = i % PROJECTS;
    void insert(server.url, projects[p]!, nameOf(p, Math.floor(i / PROJECTS) % COLLECTIONS));
  }
  const grownMb = await residentMb(server.pid) - before;
  await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  if (latencies.length !== writes * LISTENERS) {
    throw new Error(`${writes} writes were heard ${latencies.length} times`);
  }
  latencies.sort((a, b) => a - b);
  return { p99: Math.round(latencies[Math.floor(latencies.length * 0.99)]!), grownMb };
}

const MESSAGES = 3_000;

const webhookMessages = (): Promise<number> =>
  inFolder(async (folder) => {
    const counts = { projects: 1, collections: 1, events: () => true };
    const [project] = await projectsIn(onFolder(folder), counts);
    const all = Promise.withResolvers<void>();
    const received = new Set<string>();
    await using receiver = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => {
        received.add(request.headers.get("webhook-id")!);
        if (received.size === MESSAGES) all.resolve();
        return new Response();
      },
    );
    const env = { ALLOW_PRIVATE_ENDPOINTS: "true" };
    await tellOf(folder, project!, { env, url: `http://127.0.0.1:${receiver.addr.port}` });
    await using corbel = await startCorbel(folder, env);
    const begun = performance.now();
    for (let i = 0; i < MESSAGES; i += AT_ONCE) {
      const some = Math.min(AT_ONCE, MESSAGES - i);
      await Promise.all(Array.from({ length: some }, () => insert(corbel.url, project!, "c0")));
    }
    await all.promise;
    return Math.round(MESSAGES / ((performance.now() - begun) / 1_000));
  });

/** Has an address told of all that is created. */
async function tellOf(
  folder: string,
  { projectId }: OpenProject,
  { env, url }: { readonly env: Record<string, string>; readonly url: string },
): Promise<void> {
  const config = loadConfig({ DATABASE_URL: `sqlite:${folder}`, ...env });
  using log = createLog("error", (text) => console.error(text));
  await using services = await openServices(config, { log });
  await createWebhook(services, projectId, { name: "Bench", url, events: { c0: ["created"] } });
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** By a socket of its own: `fetch` would take longer than the server. */
async function listen(
  url: string,
  { project, collection, address, heard }: {
    readonly project: OpenProject;
    readonly collection: string;
    readonly address: string;
    readonly heard: (sentAt: number) => void;
  },
): Promise<AsyncDisposable> {
  const { hostname, port } = new URL(url);
  const socket = await Deno.connect({ hostname, port: Number(port) });
  const head = `GET /api/data/${collection}/live?limit=1 HTTP/1.1\r\nhost: ${hostname}\r\n` +
    `x-api-key: ${project.publishableKey}\r\nx-forwarded-for: ${address}\r\n\r\n`;
  await socket.write(new TextEncoder().encode(head));
  const opened = Promise.withResolvers<void>();
  let rest = "";
  const reading = (async () => {
    for await (const text of socket.readable.pipeThrough(new TextDecoderStream())) {
      rest += text;
      if (rest.includes("event: list")) opened.resolve();
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = rest.slice(0, end);
        rest = rest.slice(end + 2);
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
