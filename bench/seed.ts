/** Fills a store of Corbel and returns the values that requests need. */
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
import { FIELDS, INDEXES, PLAIN_DEFINITION, post, Random } from "./documents.ts";

export type SignedInUser = Readonly<Record<"userId" | "token", string>>;

/** A project with documents and users, on which rows are measured. */
export interface SeededProject
  extends Readonly<Record<"projectId" | "publishableKey" | "secretKey", string>> {
  /** Users who own about the same number of documents each. */
  readonly users: readonly SignedInUser[];
  /** Ids of `posts` in the order of their creation. */
  readonly ids: readonly Id[];
  readonly scale: number;
}

export interface Setting {
  /** Folder of all created files. */
  readonly folder: string;
  /** Settings of the filled store and the file storage. */
  readonly settings: Readonly<Record<string, string>>;
  /** Address of the MongoDB server; null on SQLite. */
  readonly mongodb: string | null;
  readonly seeded: SeededProject;
}

export interface CollectionSizes {
  /** Scale of `post`; 1 if left out. */
  readonly scale?: number;
  readonly posts: number;
  readonly small: number;
  /** Default: 0. */
  readonly plain?: number;
}

/** Number of documents of each user, ten pages. */
const DOCUMENTS_PER_USER = 200;
const USERS_MIN = 5;
const TOKEN_SECONDS = 86_400;
const SEED = 20_261_125;

/** Creates a folder that is removed on disposal. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "corbel-bench-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Opens a store in this process without the limits of plans, even while Corbel serves it. */
export const openStore = (settings: Environment): Promise<Services> =>
  openServices(loadConfig({ SQLITE_SYNC: "normal", PLANS: "off", ...settings }), {
    log: createLog("error", (text) => console.error(text)),
  });

export async function openProject(
  services: Services,
  definitions: readonly object[],
  ownerId: Id | null = null,
): Promise<CreatedProject> {
  const given = { name: "Bench", siteUrl: "https://app.example", ownerId, isByOperator: true };
  const project = await createProject(services, given);
  for (const definition of definitions) {
    await createCollection(services, project.projectId, parseDefinition(definition));
  }
  return project;
}

/**
 * Creates a project with `posts` (RLS `private`), `small` (`public-read`) and the empty `inserted`,
 * which share fields and indexes, and `plain` with {@linkcode PLAIN_DEFINITION}.
 */
export async function seed(
  settings: Environment,
  { scale = 1, plain = 0, ...sizes }: CollectionSizes,
): Promise<SeededProject> {
  await using services = await openStore(settings);
  const indexed = { fields: FIELDS, indexes: INDEXES, strict: false };
  const { projectId, publishableKey, secretKey } = await openProject(services, [
    { name: "posts", ...indexed, rls: { mode: "private" } },
    { name: "small", ...indexed, rls: { mode: "public-read" } },
    { name: "inserted", ...indexed, rls: { mode: "public-read" } },
    { name: "plain", ...PLAIN_DEFINITION, strict: false, rls: { mode: "public-read" } },
  ]);
  const users: SignedInUser[] = [];
  while (users.length < Math.max(USERS_MIN, sizes.posts / DOCUMENTS_PER_USER)) {
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

/** Fills a collection. Resolves to the ids of the new documents. */
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
