import { parseDefinition } from "@/lib/documents/definition.ts";
/**
 * What many projects cost that nobody asks at the moment: memory, open files, disk and start time,
 * of Corbel and of the database below it. Each project gets what its first use makes: a signing
 * key, a user with a session, an idempotent write, collections with documents, a sign-in through a
 * provider, and a file that was uploaded and deleted.
 *
 *     deno task bench:projects [--mongodb] [--projects=1000] [--collections=1] [--rounds=2]
 */
import { parseArgs } from "node:util";
import { MongoClient } from "mongodb";
import { createUser } from "@/lib/auth/create_user.ts";
import { NO_DEVICE } from "@/lib/auth/device.ts";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { openSession } from "@/lib/auth/open_session.ts";
import { issueRefreshToken } from "@/lib/auth/refresh_tokens.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_document.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { SESSION_MS_MAX } from "@/lib/limits.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { saveProvider } from "@/lib/projects/providers.ts";
import { openServices, type Services } from "@/lib/services.ts";
import { accountOf } from "@/lib/social/accounts.ts";
import { startSignIn } from "@/lib/social/start_sign_in.ts";
import type { Id } from "@/lib/store/port.ts";
import { maintain } from "@/routes/maintenance.ts";
import { type Mongodb, startMongodb } from "@/tests/services/mongodb_server.ts";
import { note } from "./documents.ts";
import { type Program, residentMb, startCorbel } from "./process.ts";

const DOCUMENTS = 20;
const STEPS = 4;
const SITE_URL = "https://app.example";
const FIELDS = [
  { key: "title", type: "String" },
  { key: "status", type: "String", index: true },
  { key: "views", type: "Number", index: true },
];

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    mongodb: { type: "boolean", default: false },
    projects: { type: "string", default: "1000" },
    collections: { type: "string", default: "1" },
    rounds: { type: "string", default: "2" },
  },
});
const wanted = Number(options.projects);
const collections = Number(options.collections);
const rounds = Number(options.rounds);

const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
/** Files stay out of what the database takes. */
const files = await Deno.makeTempDir({ prefix: "corbel-bench-" });
const STORAGE_URL = `file:${files}`;
try {
  if (options.mongodb) await onMongodb();
  else await onSqlite();
} finally {
  for (const made of [folder, files]) await Deno.remove(made, { recursive: true });
}

async function onSqlite(): Promise<void> {
  const settings = { DATABASE_URL: `sqlite:${folder}` };
  const keys = await fill(settings, async (made) => say(`${made} projects: ${await disk()}`));
  await use(settings, keys, []);
}

async function onMongodb(): Promise<void> {
  const secretKeys = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  const settings = (server: Mongodb) => ({
    DATABASE_URL: server.url.replace("/?", "/bench?"),
    SECRET_KEYS: `bench:${secretKeys}`,
  });
  const server = await startMongodb({ folder });
  let keys: string[];
  try {
    say(`no projects: ${await state("server", server.pid)}, ${await disk()}`);
    keys = await fill(settings(server), async (made) => {
      say(`${made} projects: ${await state("server", server.pid)}, ${await disk()}`);
    });
    say(await namespaces(server));
    await use(settings(server), keys, [["server", server.pid]]);
  } finally {
    await server.stop();
  }
  const began = performance.now();
  await using again = await startMongodb({ folder });
  say(`server again: takes writes after ${Math.round(performance.now() - began)} ms`);
  say(`server again: ${await state("server", again.pid)}`);
  await use(settings(again), keys, [["server", again.pid]]);
}

/** Makes the projects, and tells of them in steps. Resolves to their secret keys. */
async function fill(
  settings: Record<string, string>,
  tell: (made: number) => Promise<void>,
): Promise<string[]> {
  using log = createLog("error", (text) => console.error(text));
  const config = loadConfig({ ...settings, STORAGE_URL, SQLITE_SYNC: "normal" });
  await using services = await openServices(config, { log });
  const keys: string[] = [];
  let began = performance.now();
  for (let made = 1; made <= wanted; made++) {
    keys.push(await project(services, made));
    if (made % Math.ceil(wanted / STEPS) !== 0 && made !== wanted) continue;
    await tell(made);
    say(`  the last ones took ${perProject(began, Math.ceil(wanted / STEPS))} each to make`);
    began = performance.now();
  }
  for (const pass of ["first", "second"]) {
    began = performance.now();
    await maintain(services);
    say(`a ${pass} pass of maintenance took ${perProject(began, wanted)} a project`);
  }
  return keys;
}

async function project(services: Services, number: number): Promise<string> {
  const { projectId, secretKey } = await createProject(services, {
    name: `Project ${number}`,
    siteUrl: SITE_URL,
  });
  const user = { email: "ada@example.com", verified: true };
  const userId = await createUser(services, projectId, user);
  await issueToken(services, projectId, { userId, seconds: 900 });
  for (let i = 0; i < collections; i++) {
    const name = `things${i}`;
    const rls = { mode: "private" };
    await createCollection(services, projectId, parseDefinition({ name, fields: FIELDS, rls }));
    const target = await openForWriting(services, { kind: "secret", projectId }, name);
    const body = Array.from({ length: DOCUMENTS }, (_, n) => note(n, [userId]));
    await createDocuments(services, target, { body, idempotencyKey: "once" + i });
  }
  await signIn(services, projectId);
  await upload(services, projectId);
  return secretKey;
}

/** What a sign-in keeps; the provider itself is not asked. */
async function signIn(services: Services, projectId: Id): Promise<void> {
  const provider = "github";
  const linking = "verified";
  const settings = { enabled: true, clientId: "bench", clientSecret: "bench" };
  await saveProvider(services, projectId, provider, { ...settings, linking });
  const input = { provider, query: new URLSearchParams(), cookies: null };
  await startSignIn(services, { projectId, siteUrl: SITE_URL }, input);
  const shown = { name: "Ada", username: "ada", avatarUrl: null };
  const profile = { providerUserId: "1", email: null, ...shown };
  await services.engine.transaction(projectId, async (tx) => {
    const { userId } = await accountOf(tx, services, { provider, profile, linking });
    const sessionId = await openSession(tx, services, { userId, device: NO_DEVICE });
    await issueExchangeCode(tx, services, { userId, sessionId, accessToken: "bench" });
    const sessionEndsAt = new Date(services.clock.now() + SESSION_MS_MAX).toISOString();
    await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
  });
}

async function upload(services: Services, projectId: Id): Promise<void> {
  const file = { filename: "photo.png", contentType: "image/png", bytes: 20_000 };
  const { filePath } = await requestUpload(services, projectId, file);
  await deleteFile(services, projectId, filePath);
}

/** Starts Corbel, and asks every project for a list, round by round. */
async function use(
  settings: Record<string, string>,
  keys: readonly string[],
  below: readonly (readonly [name: string, pid: number])[],
): Promise<void> {
  await using corbel = await startCorbel(folder, { ...settings, STORAGE_URL });
  const all = [["Corbel", corbel.pid] as const, ...below];
  const states = async () =>
    (await Promise.all(all.map(([name, pid]) => state(name, pid)))).join("; ");
  say(`Corbel started: first answer after ${Math.round(corbel.startMs)} ms; ${await states()}`);
  for (let round = 1; round <= rounds; round++) {
    const times = await askEach(corbel, keys);
    say(`list ${round} of each: ${quantiles(times)}; ${await states()}`);
  }
}

async function askEach(corbel: Program, keys: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const key of keys) {
    const began = performance.now();
    const response = await fetch(`${corbel.url}/api/data/things0?limit=20`, {
      headers: { "x-api-key": key },
    });
    const { data } = await response.json();
    if (data.total !== DOCUMENTS) throw new Error("Not the documents that were written");
    times.push(performance.now() - began);
  }
  return times;
}

/** What `mongod` keeps a file and a handle of each for. */
async function namespaces({ url }: Mongodb): Promise<string> {
  await using client = new MongoClient(url);
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  const one = client.db(
    databases.map(({ name }) => name).find((name) => /_[0-9a-f]{24}$/.test(name)),
  );
  const made: string[] = [];
  for (const { name } of await one.listCollections({}, { nameOnly: true }).toArray()) {
    made.push(`${name} ${(await one.collection(name).indexes()).length}`);
  }
  return `a project's collections, with their numbers of indexes: ${made.toSorted().join(", ")}`;
}

async function state(name: string, pid: number): Promise<string> {
  return `${name} ${await residentMb(pid)} MB, ${await descriptors(pid)} descriptors`;
}

/** Open descriptors of a process. Deno reads nothing below /proc without every permission. */
async function descriptors(pid: number): Promise<number> {
  return (await output("ls", [`/proc/${pid}/fd`])).trimEnd().split("\n").length;
}

async function disk(): Promise<string> {
  const files = (await output("find", [folder, "-type", "f"])).trimEnd().split("\n").length;
  const kilobytes = Number.parseInt(await output("du", ["-sk", folder]));
  return `${files} files, ${Math.round(kilobytes / 1024)} MB on disk`;
}

async function output(program: string, args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

function perProject(began: number, projects: number): string {
  return `${((performance.now() - began) / projects).toFixed(1)} ms`;
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1);
  return `median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms`;
}

function say(line: string): void {
  console.log(line);
}
