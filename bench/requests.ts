/**
 * What single requests cost in processor time, on SQLite and on MongoDB in one run: of Corbel, and
 * of the database below it.
 *
 *     deno task bench:requests [--documents=200]
 *
 * Few documents, because the stand-in for MongoDB looks at all of them for each list: with many it
 * would be the stand-in that is measured, and Corbel's part would drown in waiting.
 */
import { parseArgs } from "node:util";
import { createUser } from "@/lib/auth/create_user.ts";
import { loadConfig } from "@/lib/config.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_document.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { createLog } from "@/lib/http/log.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { openServices } from "@/lib/services.ts";
import { startMongodb } from "@/tests/services/mongodb_server.ts";
import { load, type Target } from "./load.ts";
import { cpuSeconds, startCorbel } from "./process.ts";
import { document } from "./seed.ts";

const CONNECTIONS = 32;
const SECONDS = 3;
const ROUNDS = 3;
const FIELDS = [
  { key: "title", type: "String" },
  { key: "status", type: "String", index: true },
  { key: "views", type: "Number", index: true },
];

const REQUESTS: Readonly<Record<string, (place: Place) => Target>> = {
  "an answer without the database": ({ url }) => ({ url: `${url}/api/health` }),
  "one document": ({ url, id, headers }) => ({ url: `${url}/api/data/things/${id}`, headers }),
  "20 documents, no total": (place) => listing(place, "limit=20&total=none"),
  "20 documents and their total": (place) => listing(place, "limit=20"),
  "100 documents and their total": (place) => listing(place, "limit=100"),
  "20 of a filter, and its total": (place) => listing(place, "limit=20&status=draft"),
  "a new document": ({ url, headers }) => ({
    url: `${url}/api/data/written`,
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ title: "A post", status: "draft", views: 12 }),
  }),
};

/** Where the requests go. */
interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
}

const listing = ({ url, headers }: Place, query: string): Target => ({
  url: `${url}/api/data/things?${query}`,
  headers: { ...headers, "cache-control": "no-cache" },
});

const { values: options } = parseArgs({
  args: Deno.args,
  options: { documents: { type: "string", default: "200" } },
});
const documents = Number(options.documents);

const folder = await Deno.makeTempDir({ prefix: "corbel-bench-" });
try {
  await measure("SQLite", { DATABASE_URL: `sqlite:${folder}` }, null);
  const secretKeys = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  await using server = await startMongodb({ syncOnCommit: true });
  const DATABASE_URL = server.url.replace("/?", "/bench?");
  await measure("MongoDB", { DATABASE_URL, SECRET_KEYS: `bench:${secretKeys}` }, server.pid);
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measure(
  name: string,
  settings: Record<string, string>,
  below: number | null,
): Promise<void> {
  const { key, id } = await seeded(settings);
  await using corbel = await startCorbel(folder, settings);
  const place = { url: corbel.url, headers: { "x-api-key": key }, id };
  const pids = below === null ? [corbel.pid] : [corbel.pid, below];
  for (const [what, target] of Object.entries(REQUESTS)) {
    await load(target(place), { seconds: 1 });
    const rounds: string[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await cost(pids, target(place)));
    console.log(`${name}, ${what}: ${rounds.join("; ")}`);
  }
}

/** Requests a second, and the processor time of each of the processes per request. */
async function cost(pids: readonly number[], target: Target): Promise<string> {
  const before = await Promise.all(pids.map(cpuSeconds));
  const perSecond = await load(target, { seconds: SECONDS, connections: CONNECTIONS });
  const after = await Promise.all(pids.map(cpuSeconds));
  const each = pids.map((_, i) =>
    Math.round((after[i]! - before[i]!) * 1e6 / (perSecond * SECONDS))
  );
  return `${Math.round(perSecond)}/s, ${each.join(" + ")} µs`;
}

async function seeded(settings: Record<string, string>): Promise<{ key: string; id: string }> {
  using log = createLog("error", (text) => console.error(text));
  const config = loadConfig({ ...settings, SQLITE_SYNC: "normal" });
  await using services = await openServices(config, { log });
  const { projectId, secretKey } = await createProject(services, { name: "Bench", siteUrl: null });
  const user = { email: "ada@example.com", verified: true };
  const userId = await createUser(services, projectId, user);
  const caller = { kind: "secret", projectId } as const;
  for (const name of ["things", "written"]) {
    const rls = { mode: "private" };
    await createCollection(services, projectId, { name, fields: FIELDS, rls });
  }
  const target = await openForWriting(services, caller, "things");
  let id = "";
  for (let at = 0; at < documents; at += BULK_DOCUMENTS_MAX) {
    const body = Array.from({ length: BULK_DOCUMENTS_MAX }, (_, i) => document(at + i, [userId]));
    id = JSON.parse(await createDocuments(services, target, { body, idempotencyKey: null })).ids[0];
  }
  return { key: secretKey, id };
}
