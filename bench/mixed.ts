/**
 * Simulates a day's requests in some minutes: lists, scans, reads by id, inserts, patches,
 * deletions, bulk writes and uploads at an even rate on five projects. Prints times, memory, sizes
 * of logs and open files. A request's time begins when it is due, so that queueing counts. Then 32
 * concurrent clients send queries that no index answers.
 *
 *     deno task bench:mixed [--minutes=10] [--per-second=300] [--documents=20000]
 */
import { fileBytes } from "@/tests/support/file_bytes.ts";
import { parseArgs } from "node:util";
import { post, Random, STATUSES, VIEWS_MAX } from "./documents.ts";
import { load, runLoad } from "./load.ts";
import { ask, askData, jsonRequest } from "./measuring.ts";
import { cpuSeconds, openFilesOf, residentMb, startCorbel } from "./process.ts";
import { seed, type SeededProject, temporaryFolder } from "./seed.ts";

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

const PROJECTS = 5;
const BULK = 50;
const UPLOAD_BYTES = 20_000;
const TICK_MS = 10;
const SAMPLE_MS = 5_000;
const TIMEOUT_MS = 30_000;
const MIB = 1_048_576;
const REFUSALS_PRINTED_MAX = 5;

interface Project extends SeededProject {
  /** Ids of documents that have not been deleted. */
  readonly living: string[];
}

const random = new Random(Date.now());

const listPaths: readonly ((project: Project) => string)[] = [
  () => "posts?limit=20",
  () => `posts?limit=100&page=${1 + random.below(90)}`,
  ({ users }) => `posts?limit=20&userId=${random.pick(users).userId}`,
  () => {
    const [status, views] = [random.pick(STATUSES), random.below(VIEWS_MAX)];
    return `posts?limit=20&status=${status}&views_gte=${views}&sort=views`;
  },
  () => `posts?limit=20&views_gte=${random.below(VIEWS_MAX)}&sort=views&total=none`,
];
/** Paths of queries that no index answers. */
const scanPaths: readonly (() => string)[] = [
  () => `posts?limit=20&rating_gte=${random.below(100)}`,
  () => `posts?limit=20&title_contains=R ${random.below(1_000)}`,
  () => `posts?limit=20&place.floor=${random.below(30)}&total=none`,
];

interface RequestKind {
  /** Share of the requests in percent. */
  readonly share: number;
  /** Limit of the 99th percentile in milliseconds; without one, the time is only printed. */
  readonly limit?: number;
  send(project: Project): Promise<unknown>;
}

const KINDS: Readonly<Record<string, RequestKind>> = {
  by_id: {
    share: 35,
    limit: 50,
    send: (project) => callApi(project, `data/posts/${random.pick(project.living)}`),
  },
  list: {
    share: 28,
    limit: 150,
    send: (project) => callApi(project, `data/${random.pick(listPaths)(project)}`),
  },
  scan: { share: 4, send: (project) => callApi(project, `data/${random.pick(scanPaths)()}`) },
  insert: {
    share: 14,
    limit: 50,
    async send(project) {
      project.living.push((await callApi(project, "data/posts", "POST", newPost(project)))._id);
    },
  },
  patch: {
    share: 11,
    limit: 50,
    send: (project) =>
      callApi(project, `data/posts/${random.pick(project.living)}`, "PATCH", {
        views: random.below(VIEWS_MAX),
      }),
  },
  delete: {
    share: 5,
    limit: 50,
    send(project) {
      const [id] = project.living.splice(random.below(project.living.length), 1);
      return callApi(project, `data/posts/${id}?permanent=true`, "DELETE");
    },
  },
  bulk: {
    share: 1,
    async send(project) {
      const documents = Array.from({ length: BULK }, () => newPost(project));
      project.living.push(
        ...(await callApi(project, "data/posts/bulk", "POST", { documents })).ids,
      );
    },
  },
  upload: { share: 2, send: upload },
};

async function upload(project: Project): Promise<void> {
  const contentType = "image/png";
  const announced = { filename: "photo.png", contentType, size: UPLOAD_BYTES };
  const path = "storage/upload-request";
  const { signedUrl, filePath } = await callApi(project, path, "POST", announced);
  await ask({
    url: server.url + new URL(signedUrl).pathname,
    method: "PUT",
    headers: { "content-type": contentType },
    body: fileBytes(contentType, UPLOAD_BYTES),
  });
  const sent = { filePath, size: UPLOAD_BYTES };
  await callApi(project, "storage/upload-confirm", "POST", sent);
  await callApi(project, "storage/file", "DELETE", { path: filePath });
}

const newPost = ({ users }: Project) => post(random, users.map(({ userId }) => userId));

const callApi = ({ secretKey }: Project, path: string, method = "GET", body?: unknown) =>
  askData({
    ...jsonRequest(
      `${server.url}/api/${path}`,
      { "x-api-key": secretKey },
      body,
    ),
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

const SHARES = Object.entries(KINDS).flatMap(([name, { share }]) =>
  Array<string>(share).fill(name)
);
const times = new Map(Object.keys(KINDS).map((name) => [name, [] as number[]]));
const refused: string[] = [];

/** Sends one request and records the time from when it was due to its answer. */
async function send(name: string, project: Project): Promise<void> {
  const due = performance.now();
  try {
    await KINDS[name]!.send(project);
    times.get(name)!.push(performance.now() - due);
  } catch (error) {
    refused.push(`${name}: ${error}`);
  }
}

type Sample = Awaited<ReturnType<typeof takeSample>>;

async function takeSample(since: number) {
  const logs = [`${stored}/control.db-wal`];
  for await (const { name } of Deno.readDir(`${stored}/projects`)) {
    if (name.endsWith("-wal")) logs.push(`${stored}/projects/${name}`);
  }
  const bytes = await Promise.all(logs.map(async (path) => (await Deno.stat(path)).size));
  return {
    minute: Math.round((performance.now() - since) / 6_000) / 10,
    residentMb: await residentMb(server.pid),
    anonymousMb: await residentMb(server.pid, "RssAnon"),
    logMib: Math.round(Math.max(...bytes) / MIB * 10) / 10,
    files: await openFilesOf(server.pid),
  };
}

/** Sends requests at an even rate until the time is over, and takes samples of the server. */
async function run(): Promise<Sample[]> {
  const [begun, used] = [performance.now(), await cpuSeconds(server.pid)];
  const total = minutes * 60 * perSecond;
  const looks: Sample[] = [];
  const open = new Set<Promise<void>>();
  let [sent, lookAt] = [0, SAMPLE_MS];
  while (sent < total) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const elapsed = performance.now() - begun;
    for (const due = Math.min(total, elapsed * perSecond / 1_000); sent < due; sent++) {
      const sending = send(random.pick(SHARES), random.pick(projects));
      open.add(sending);
      sending.finally(() => open.delete(sending));
    }
    if (elapsed < lookAt) continue;
    lookAt += SAMPLE_MS;
    looks.push(await takeSample(begun));
    if (looks.length % 6 === 0) console.error(JSON.stringify(looks.at(-1)));
  }
  await Promise.all(open);
  const busy = (await cpuSeconds(server.pid) - used) / (performance.now() - begun) * 1_000;
  console.log(`processors used by the server: ${busy.toFixed(2)}`);
  return looks;
}

function report(looks: readonly Sample[]): void {
  const columns = ["Kind", "Answered", "p50 ms", "p99 ms", "Limit", "Longest ms"];
  console.log(`| ${columns.join(" | ")} |\n| ${"--- | ".repeat(columns.length)}`);
  for (const [name, { limit }] of Object.entries(KINDS)) {
    const sorted = times.get(name)!.toSorted((a, b) => a - b);
    const [p50, p99, longest] = [0.5, 0.99, 1].map((part) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN).toFixed(1)
    );
    console.log(`| ${[name, sorted.length, p50, p99, limit ?? "", longest].join(" | ")} |`);
  }
  console.log([`refused: ${refused.length}`, ...refused.slice(0, REFUSALS_PRINTED_MAX)].join("\n"));
  const late = looks.slice(Math.floor(looks.length / 2));
  for (const kind of ["residentMb", "anonymousMb"] as const) {
    const most = (some: readonly Sample[]) => Math.max(...some.map((look) => look[kind]));
    console.log(
      `${kind}: at most ${most(looks)}; ` +
        `second half ${late[0]![kind]} to ${late.at(-1)![kind]}, at most ${most(late)} (limit 300)`,
    );
  }
  console.log(`largest log, MiB: ${Math.max(...looks.map(({ logMib }) => logMib))} (limit 16)`);
  console.log(`open files: at most ${Math.max(...looks.map(({ files }) => files))}`);
}

/** Measures 32 concurrent clients with queries that no index answers. All should be answered. */
async function measureCrowd({ secretKey }: Project): Promise<void> {
  const headers = { "x-api-key": secretKey };
  for (const make of [...scanPaths, () => `posts?limit=20&title_regex=R.${random.below(1_000)}`]) {
    const path = () => encodeURI(`/api/data/${make()}`);
    const requests = Array.from({ length: 500 }, () => ({ path: path() }));
    const target = { url: server.url, headers, requests };
    const { perSecond, p99, refused } = await runLoad(target, 10);
    const summary = `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms, ${refused} refused`;
    console.log(`32 clients, ${requests[0]!.path}: ${summary}`);
  }
}

await using folder = await temporaryFolder();
const stored = `${folder.path}/data`;
const settings = { DATABASE_URL: `sqlite:${stored}`, STORAGE_URL: `file:${folder.path}/files` };
const projects: Project[] = [];
while (projects.length < PROJECTS) {
  console.error(`Seeding ${projects.length + 1} of ${PROJECTS} …`);
  const seeded = await seed(settings, { posts: Number(options.documents), small: 0 });
  projects.push({ ...seeded, living: [...seeded.ids] });
}
await using server = await startCorbel({ ...settings, RATE_LIMITS: "off" });
await load({ url: `${server.url}/api/health` }, 1);
if (minutes > 0) report(await run());
await measureCrowd(projects[0]!);
