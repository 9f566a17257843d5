import { parseDefinition } from "@/lib/documents/definition.ts";
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
import { loadConfig } from "@/lib/runtime/config.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { openServices } from "@/lib/services.ts";
import type { Json } from "@/lib/store/port.ts";
import { startMongodb } from "@/tests/services/mongodb_server.ts";
import { load, type Target } from "./load.ts";
import { cpuSeconds, startCorbel } from "./process.ts";
import { document, payingAccount } from "./seed.ts";

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
  "one document": ({ url, ids, headers }) => ({ url: `${url}/api/data/things/${ids[0]}`, headers }),
  "20 documents, no total": (place) => listing(place, "limit=20&total=none"),
  "20 documents and their total": (place) => listing(place, "limit=20"),
  "100 documents and their total": (place) => listing(place, "limit=100"),
  "20 of a filter, and its total": (place) => listing(place, "limit=20&status=draft"),
  "a new document": (place) => writing(place, "POST", "written", NEW),
  [`${BULK_DOCUMENTS_MAX} new documents`]: (place) =>
    writing(place, "POST", "written/bulk", Array(BULK_DOCUMENTS_MAX).fill(NEW)),
  "a document changed": (place) => changing(place),
  "the same with If-Match: *": (place) => changing(place, { "if-match": "*" }),
};

const NEW = { title: "A post", status: "draft", views: 12 };

/** Where the requests go. */
interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of documents that are there. */
  readonly ids: readonly string[];
}

const listing = ({ url, headers }: Place, query: string): Target => ({
  url: `${url}/api/data/things?${query}`,
  headers: { ...headers, "cache-control": "no-cache" },
});

const writing = (
  { url, headers }: Place,
  method: "POST" | "PATCH",
  path: string,
  body: Json,
): Target => ({
  url: `${url}/api/data/${path}`,
  method,
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** One after the other, so that no two wait for the same document. */
function changing(place: Place, headers: Readonly<Record<string, string>> = {}): Target {
  const target = writing(place, "PATCH", "things", { views: 13 });
  return {
    ...target,
    headers: { ...target.headers, ...headers },
    paths: place.ids.map((id) => `/api/data/things/${id}`),
  };
}

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
  const { key, ids } = await seeded(settings);
  await using corbel = await startCorbel(folder, settings);
  const place = { url: corbel.url, headers: { "x-api-key": key }, ids };
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

async function seeded(settings: Record<string, string>): Promise<{ key: string; ids: string[] }> {
  using log = createLog("error", (text) => console.error(text));
  const config = loadConfig({ ...settings, SQLITE_SYNC: "normal" });
  await using services = await openServices(config, { log });
  const { projectId, secretKey } = await createProject(services, {
    name: "Bench",
    siteUrl: null,
    ownerId: await payingAccount(services),
  });
  const user = { email: "ada@example.com", verified: true };
  const userId = await createUser(services, projectId, user);
  const caller = { kind: "secret", projectId } as const;
  for (const name of ["things", "written"]) {
    const rls = { mode: "private" };
    await createCollection(services, projectId, parseDefinition({ name, fields: FIELDS, rls }));
  }
  const target = await openForWriting(services, caller, "things");
  let ids: string[] = [];
  for (let at = 0; at < documents; at += BULK_DOCUMENTS_MAX) {
    const body = Array.from({ length: BULK_DOCUMENTS_MAX }, (_, i) => document(at + i, [userId]));
    ids = JSON.parse(await createDocuments(services, target, { body, idempotencyKey: null })).ids;
  }
  return { key: secretKey, ids };
}
