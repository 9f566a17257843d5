/**
 * What a day asks, in some minutes: lists, scans, reads by id, inserts, patches, deletions, bulk
 * and uploads at an even pace on five projects, and what it takes of time, memory, logs and files.
 * A request's time begins when it is due, so what piles up counts. Then 32 clients ask at once for
 * what no index holds.
 *
 *     deno task bench:mixed [--minutes=10] [--per-second=300] [--documents=20000]
 */
import { fileBytes } from "@/tests/support/file_bytes.ts";
import { parseArgs } from "node:util";
import { post, STATUSES, VIEWS_MAX } from "./documents.ts";
import { load, loaded } from "./load.ts";
import {
  anonymousMb,
  cpuSeconds,
  openFilesOf,
  type Program,
  residentMb,
  startCorbel,
} from "./process.ts";
import { Random } from "./random.ts";
import { seed, type Seeded } from "./seed.ts";

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    minutes: { type: "string", default: "10" },
    "per-second": { type: "string", default: "300" },
    documents: { type: "string", default: "20000" },
  },
});
const minutes = Number(options.minutes);
const perSecond = Number(options["per-second"]);
const documents = Number(options.documents);

const PROJECTS = 5;
const BULK = 50;
const UPLOAD_BYTES = 20_000;
const TICK_MS = 10;
const LOOK_MS = 5_000;
const TIMEOUT_MS = 30_000;
const MIB = 1_048_576;

/** 99 of 100 take no longer, in milliseconds; null for what is only told. */
const LIMITS = {
  by_id: 50,
  list: 150,
  scan: null,
  insert: 50,
  patch: 50,
  delete: 50,
  bulk: null,
  upload: null,
} as const;
type Kind = keyof typeof LIMITS;

/** Of a hundred requests. */
const SHARES: Readonly<Record<Kind, number>> = {
  by_id: 35,
  list: 28,
  scan: 4,
  insert: 14,
  patch: 11,
  delete: 5,
  bulk: 1,
  upload: 2,
};
const KINDS = Object.entries(SHARES).flatMap(([kind, share]) =>
  Array<Kind>(share).fill(kind as Kind)
);

interface Project extends Seeded {
  /** Of documents that are there still, or about to go. */
  readonly living: string[];
}

const random = new Random(Date.now());

const listPaths: readonly ((project: Project) => string)[] = [
  () => "posts?limit=20",
  () => `posts?limit=100&page=${1 + random.below(90)}`,
  ({ users }) => `posts?limit=20&userId=${random.pick(users).userId}`,
  () =>
    `posts?limit=20&status=${random.pick(STATUSES)}&views_gte=${
      random.below(VIEWS_MAX)
    }&sort=views`,
  () => `posts?limit=20&views_gte=${random.below(VIEWS_MAX)}&sort=views&total=none`,
];
/** What no index holds. */
const scanPaths: readonly (() => string)[] = [
  () => `posts?limit=20&rating_gte=${random.below(100)}`,
  () => `posts?limit=20&title_contains=R ${random.below(1_000)}`,
  () => `posts?limit=20&place.floor=${random.below(30)}&total=none`,
];

const started = performance.now();
const times: Record<Kind, number[]> = {
  by_id: [],
  list: [],
  scan: [],
  insert: [],
  patch: [],
  delete: [],
  bulk: [],
  upload: [],
};
const refused = new Map<string, number>();

/** Sends one request of a kind, and notes how long after `due` it was answered. */
async function send(server: Program, kind: Kind, project: Project): Promise<void> {
  const due = performance.now();
  try {
    await ASK[kind](server, project);
    times[kind].push(performance.now() - due);
  } catch (error) {
    const what = `${kind}: ${error instanceof Error ? error.message : error}`;
    refused.set(what, (refused.get(what) ?? 0) + 1);
  }
}

const ASK: Readonly<Record<Kind, (server: Program, project: Project) => Promise<unknown>>> = {
  by_id: (server, project) => data(server, project, `posts/${random.pick(project.living)}`),
  list: (server, project) => data(server, project, random.pick(listPaths)(project)),
  scan: (server, project) => data(server, project, random.pick(scanPaths)()),
  async insert(server, project) {
    const { _id } = await data(server, project, "posts", {
      method: "POST",
      body: JSON.stringify(newPost(project)),
    });
    project.living.push(_id);
  },
  patch: (server, project) =>
    data(server, project, `posts/${random.pick(project.living)}`, {
      method: "PATCH",
      body: JSON.stringify({ views: random.below(VIEWS_MAX) }),
    }),
  delete(server, project) {
    const [id] = project.living.splice(random.below(project.living.length), 1);
    return data(server, project, `posts/${id}?permanent=true`, { method: "DELETE" });
  },
  async bulk(server, project) {
    const { ids } = await data(server, project, "posts/bulk", {
      method: "POST",
      body: JSON.stringify({ documents: Array.from({ length: BULK }, () => newPost(project)) }),
    });
    project.living.push(...ids);
  },
  async upload(server, project) {
    const contentType = "image/png";
    const storage = (step: string, body: unknown) =>
      asked(`${server.url}/api/storage/${step}`, project, {
        method: "POST",
        body: JSON.stringify(body),
      });
    const { signedUrl, filePath } = await storage("upload-request", {
      filename: "photo.png",
      contentType,
      size: UPLOAD_BYTES,
    });
    const answer = await fetch(server.url + new URL(signedUrl).pathname, {
      method: "PUT",
      headers: { "content-type": contentType },
      body: fileBytes(contentType, UPLOAD_BYTES),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`PUT ${answer.status} ${text}`);
    await storage("upload-confirm", { filePath, size: UPLOAD_BYTES });
    const body = JSON.stringify({ path: filePath });
    await asked(`${server.url}/api/storage/file`, project, { method: "DELETE", body });
  },
};

const newPost = ({ users }: Project) => post(random, users.map(({ userId }) => userId));

const data = (server: Program, project: Project, path: string, init: RequestInit = {}) =>
  asked(`${server.url}/api/data/${path}`, project, init);

// deno-lint-ignore no-explicit-any -- Answers of several shapes.
async function asked(url: string, { secretKey }: Project, init: RequestInit): Promise<any> {
  const headers = {
    "x-api-key": secretKey,
    "cache-control": "no-cache",
    "content-type": "application/json",
  };
  const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.parse(text).code}`);
  return JSON.parse(text).data;
}

interface Look {
  readonly minute: number;
  readonly residentMb: number;
  readonly anonymousMb: number;
  readonly logMib: number;
  readonly files: number;
}

async function look({ pid }: Program, folder: string): Promise<Look> {
  const logs = [0];
  for await (const { name } of Deno.readDir(`${folder}/projects`)) {
    if (name.endsWith("-wal")) logs.push((await Deno.stat(`${folder}/projects/${name}`)).size);
  }
  logs.push((await Deno.stat(`${folder}/control.db-wal`)).size);
  return {
    minute: Math.round((performance.now() - started) / 6_000) / 10,
    residentMb: await residentMb(pid),
    anonymousMb: await anonymousMb(pid),
    logMib: Math.round(Math.max(...logs) / MIB * 10) / 10,
    files: await openFilesOf(pid),
  };
}

/** Sends at an even pace until the time is up, and looks at the server now and then. */
async function run(server: Program, projects: readonly Project[], folder: string): Promise<Look[]> {
  const [begun, used] = [performance.now(), await cpuSeconds(server.pid)];
  const total = minutes * 60 * perSecond;
  const looks: Look[] = [];
  const open = new Set<Promise<void>>();
  let [sent, lookAt] = [0, LOOK_MS];
  while (sent < total) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const elapsed = performance.now() - begun;
    for (const due = Math.min(total, elapsed * perSecond / 1_000); sent < due; sent++) {
      const sending = send(server, random.pick(KINDS), random.pick(projects));
      open.add(sending);
      sending.finally(() => open.delete(sending));
    }
    if (elapsed < lookAt) continue;
    lookAt += LOOK_MS;
    looks.push(await look(server, folder));
    if (looks.length % 6 === 0) console.error(JSON.stringify(looks.at(-1)));
  }
  await Promise.all(open);
  const busy = (await cpuSeconds(server.pid) - used) / (performance.now() - begun) * 1_000;
  console.log(`processors used by the server: ${busy.toFixed(2)}`);
  return looks;
}

const quantile = (sorted: readonly number[], part: number): number =>
  Math.round((sorted[Math.floor(sorted.length * part)] ?? NaN) * 10) / 10;

function report(looks: readonly Look[]): void {
  console.log(
    "| Kind | Answered | p50 ms | p99 ms | Limit | Longest ms |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const [kind, limit] of Object.entries(LIMITS)) {
    const sorted = times[kind as Kind].toSorted((a, b) => a - b);
    const figures = [0.5, 0.99].map((part) => quantile(sorted, part));
    console.log(
      `| ${
        [kind, sorted.length, ...figures, limit ?? "", Math.round(sorted.at(-1) ?? 0)].join(" | ")
      } |`,
    );
  }
  console.log(`refused: ${JSON.stringify(Object.fromEntries(refused))}`);
  const late = looks.slice(Math.floor(looks.length / 2));
  for (const [name, of] of [["resident", "residentMb"], ["anonymous", "anonymousMb"]] as const) {
    const most = (some: readonly Look[]) => Math.max(...some.map((look) => look[of]));
    console.log(
      `${name} memory, MB: at most ${most(looks)}; ` +
        `second half ${late[0]![of]} to ${late.at(-1)![of]}, at most ${most(late)} (limit 300)`,
    );
  }
  console.log(`largest log, MiB: ${Math.max(...looks.map(({ logMib }) => logMib))} (limit 16)`);
  console.log(`open files: at most ${Math.max(...looks.map(({ files }) => files))}`);
}

/** 32 clients at once with what no index holds: all are to be answered. */
async function crowd(server: Program, { secretKey }: Project): Promise<void> {
  const regex = () => `posts?limit=20&title_regex=R.${random.below(1_000)}`;
  for (const make of [...scanPaths, regex]) {
    const requests = Array.from(
      { length: 500 },
      () => ({ path: encodeURI(`/api/data/${make()}`) }),
    );
    const headers = { "x-api-key": secretKey, "cache-control": "no-cache" };
    const target = { url: server.url, headers, requests };
    const { perSecond, p99, refused } = await loaded(target, { seconds: 10 });
    console.log(
      `32 clients, ${requests[0]!.path}: ${perSecond.toFixed(0)}/s, p99 ${
        p99.toFixed(0)
      } ms, ${refused} refused`,
    );
  }
}

const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  const projects: Project[] = [];
  for (let i = 0; i < PROJECTS; i++) {
    console.error(`Seeding ${i + 1} of ${PROJECTS} …`);
    const settings = { DATABASE_URL: `sqlite:${folder}/data` };
    const seeded = await seed(settings, { posts: documents, small: 0 });
    projects.push({ ...seeded, living: [...seeded.ids] });
  }
  await using server = await startCorbel(`${folder}/data`, {
    STORAGE_URL: `file:${folder}/files`,
    RATE_LIMITS: "off",
  });
  await load({ url: `${server.url}/api/health` }, { seconds: 1 });
  if (minutes > 0) report(await run(server, projects, `${folder}/data`));
  await crowd(server, projects[0]!);
} finally {
  await Deno.remove(folder, { recursive: true });
}
