/** Fills a store of Corbel's, and keeps of it what requests are made of. */
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { timestamp } from "@/lib/clock.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { FIELDS, INDEXES, PLAIN, post } from "./documents.ts";
import { Random } from "./random.ts";

export interface SignedIn {
  readonly userId: Id;
  readonly token: string;
}

/** What the rows are measured on. */
export interface Seeded {
  readonly projectId: Id;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Each owns as many documents as any other, about. */
  readonly users: readonly SignedIn[];
  /** Of `posts`, in the order in which they were made. */
  readonly ids: readonly Id[];
  readonly scale: number;
}

export interface Setting {
  /** Of the store that was filled, if it is SQLite's. */
  readonly folder: string;
  /** What Corbel is told of the store that is not its folder. */
  readonly settings: Record<string, string>;
  /** The address of the server, if it is MongoDB's. */
  readonly mongodb: string | null;
  readonly seeded: Seeded;
  /** For a smoke test: each side has one short turn, and the figures mean little. */
  readonly isShort: boolean;
}

/** How many documents of which collection. */
export interface Sizes {
  /** As in `post`; 1 unless given. */
  readonly scale?: number;
  readonly posts: number;
  readonly small: number;
}

/** An owner has 200 documents, ten pages of them. */
const DOCUMENTS_EACH = 200;
const USERS_MIN = 5;
const TOKEN_SECONDS = 86_400;
const SEED = 20_261_125;

/**
 * `posts` with RLS `private`, `small` that everybody may read, and the empty `inserted`, all with
 * the same fields and indexes; and the empty `plain` with those of {@linkcode PLAIN}.
 */
export async function seed(
  settings: Environment,
  { scale = 1, ...sizes }: Sizes,
): Promise<Seeded> {
  const config = loadConfig({ SQLITE_SYNC: "normal", ...settings });
  using log = createLog("error", (text) => console.error(text));
  await using services = await openServices(config, { log });
  const { projectId, publishableKey, secretKey } = await createProject(services, {
    name: "Bench",
    siteUrl: "https://app.example",
    ownerId: await payingAccount(services),
  });
  const users: SignedIn[] = [];
  while (users.length < Math.max(USERS_MIN, sizes.posts / DOCUMENTS_EACH)) {
    const email = `user${users.length}@example.com`;
    const userId = await createUser(services, projectId, { email, verified: true });
    const token = await issueToken(services, projectId, { userId, seconds: TOKEN_SECONDS });
    users.push({ userId, token });
  }
  const random = new Random(SEED);
  const owners = users.map(({ userId }) => userId);
  let ids: Id[] = [];
  const indexed = { fields: FIELDS, indexes: INDEXES };
  const collections = [
    { name: "posts", mode: "private", count: sizes.posts, ...indexed },
    { name: "small", mode: "public-read", count: sizes.small, ...indexed },
    { name: "inserted", mode: "public-read", count: 0, ...indexed },
    { name: "plain", mode: "public-read", count: 0, ...PLAIN },
  ] as const;
  for (const { name, mode, count, fields, indexes } of collections) {
    const definition = parseDefinition({ name, fields, indexes, rls: { mode }, strict: false });
    await createCollection(services, projectId, definition);
    const made = await fill(services, { projectId, name }, {
      count,
      next: () => post(random, owners, scale),
    });
    if (name === "posts") ids = made;
  }
  return { projectId, publishableKey, secretKey, users, ids, scale };
}

/** Resolves to the ids of the new documents. */
export async function fill(
  services: Services,
  { projectId, name }: { readonly projectId: Id; readonly name: string },
  { count, next }: { readonly count: number; next(): Json },
): Promise<Id[]> {
  const target = await openForWriting(services, { kind: "secret", projectId }, name);
  const ids: Id[] = [];
  while (ids.length < count) {
    const length = Math.min(BULK_DOCUMENTS_MAX, count - ids.length);
    const body = Array.from({ length }, next);
    const answer = await createDocuments(services, target, { body, idempotencyKey: null });
    ids.push(...JSON.parse(answer).ids);
  }
  return ids;
}

/** Who has room for many documents: the free plan has not. */
export async function payingAccount({ engine, clock, newId }: Services): Promise<Id> {
  const _id = newId();
  const now = timestamp(clock);
  await engine.records<AccountRecord>("control", ACCOUNTS).insert({
    _id,
    email: `${_id}@example.com`,
    emailLower: `${_id}@example.com`,
    name: null,
    passwordHash: "",
    plan: "pro",
    sealedAiKey: null,
    lastSignInAt: null,
    createdAt: now,
    updatedAt: now,
  });
  return _id;
}
