/** Fills a store of Corbel's, and keeps of it what requests are made of. */
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { type CreatedProject, createProject } from "@/lib/projects/create_project.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { FIELDS, INDEXES, PLAIN, post, Random } from "./documents.ts";

export type SignedIn = Readonly<Record<"userId" | "token", string>>;

/** What the rows are measured on. */
export interface Seeded
  extends Readonly<Record<"projectId" | "publishableKey" | "secretKey", string>> {
  /** Each owns as many documents as any other, about. */
  readonly users: readonly SignedIn[];
  /** Of `posts`, in the order in which they were made. */
  readonly ids: readonly Id[];
  readonly scale: number;
}

export interface Setting {
  /** All that is made is in it. */
  readonly folder: string;
  /** Which store was filled, and where files are. */
  readonly settings: Readonly<Record<string, string>>;
  /** The address of the server, if it is MongoDB's. */
  readonly mongodb: string | null;
  readonly seeded: Seeded;
}

/** How many documents of which collection. */
export interface Sizes {
  /** As in `post`; 1 unless given. */
  readonly scale?: number;
  readonly posts: number;
  readonly small: number;
  /** None unless given. */
  readonly plain?: number;
}

/** An owner has 200 documents, ten pages of them. */
const DOCUMENTS_EACH = 200;
const USERS_MIN = 5;
const TOKEN_SECONDS = 86_400;
const SEED = 20_261_125;

/** A folder that is removed with all that is in it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "corbel-bench-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** This process on a store, be it that Corbel serves it at the same time; plans limit nothing. */
export const openStore = (settings: Environment): Promise<Services> =>
  openServices(loadConfig({ SQLITE_SYNC: "normal", PLANS: "off", ...settings }), {
    log: createLog("error", (text) => console.error(text)),
  });

/** A project with these collections. */
export async function openProject(
  services: Services,
  definitions: readonly object[],
  ownerId: Id | null = null,
): Promise<CreatedProject> {
  const given = { name: "Bench", siteUrl: "https://app.example", ownerId, isOperators: true };
  const project = await createProject(services, given);
  for (const definition of definitions) {
    await createCollection(services, project.projectId, parseDefinition(definition));
  }
  return project;
}

/**
 * `posts` with RLS `private`, `small` that everybody may read, and the empty `inserted`, all with
 * the same fields and indexes; and `plain` with those of {@linkcode PLAIN}.
 */
export async function seed(
  settings: Environment,
  { scale = 1, plain = 0, ...sizes }: Sizes,
): Promise<Seeded> {
  await using services = await openStore(settings);
  const indexed = { fields: FIELDS, indexes: INDEXES, strict: false };
  const { projectId, publishableKey, secretKey } = await openProject(services, [
    { name: "posts", ...indexed, rls: { mode: "private" } },
    { name: "small", ...indexed, rls: { mode: "public-read" } },
    { name: "inserted", ...indexed, rls: { mode: "public-read" } },
    { name: "plain", ...PLAIN, strict: false, rls: { mode: "public-read" } },
  ]);
  const users: SignedIn[] = [];
  while (users.length < Math.max(USERS_MIN, sizes.posts / DOCUMENTS_EACH)) {
    const email = `user${users.length}@example.com`;
    const userId = await createUser(services, projectId, { email, verified: true });
    const token = await issueToken(services, projectId, { userId, seconds: TOKEN_SECONDS });
    users.push({ userId, token });
  }
  const random = new Random(SEED);
  const owners = users.map(({ userId }) => userId);
  const next = () => post(random, owners, scale);
  const ids = await fill(services, { projectId, name: "posts" }, { count: sizes.posts, next });
  await fill(services, { projectId, name: "small" }, { count: sizes.small, next });
  await fill(services, { projectId, name: "plain" }, { count: plain, next });
  return { projectId, publishableKey, secretKey, users, ids, scale };
}

/** Resolves to the ids of the new documents. */
export async function fill(
  services: Services,
  { projectId, name }: { readonly projectId: Id; readonly name: string },
  { count, next }: { readonly count: number; next(at: number): Json },
): Promise<Id[]> {
  const target = await openForWriting(services, { kind: "secret", projectId }, name);
  const ids: Id[] = [];
  while (ids.length < count) {
    const length = Math.min(BULK_DOCUMENTS_MAX, count - ids.length);
    const body = Array.from({ length }, (_, i) => next(ids.length + i));
    const answer = await createDocuments(services, target, { body, idempotencyKey: null });
    ids.push(...JSON.parse(answer).ids);
  }
  return ids;
}
