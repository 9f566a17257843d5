import { parseDefinition } from "@/lib/documents/definition.ts";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { timestamp } from "@/lib/clock.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { createLog } from "@/lib/runtime/log.ts";
import { type Environment, loadConfig } from "@/lib/runtime/config.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Id, Json } from "@/lib/store/port.ts";

/** What the rows are measured on. */
export interface Seeded {
  readonly projectId: Id;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly userId: Id;
  readonly token: string;
}

export interface Setting {
  /** Of the store that was filled. */
  readonly folder: string;
  readonly seeded: Seeded;
}

const USERS = 50;
const TOKEN_SECONDS = 86_400;

/** Fills the store of these settings: `posts` of each size, and private `notes` of many users. */
export async function seed(settings: Environment, sizes: readonly number[]): Promise<Seeded> {
  const config = loadConfig({ SQLITE_SYNC: "normal", ...settings });
  using log = createLog("error", (text) => console.error(text));
  await using services = await openServices(config, { log });
  const { projectId, publishableKey, secretKey } = await createProject(services, {
    name: "Bench",
    siteUrl: "https://app.example",
    ownerId: await payingAccount(services),
  });
  const users: Id[] = [];
  for (let i = 0; i < USERS; i++) {
    const email = `user${i}@example.com`;
    users.push(await createUser(services, projectId, { email, verified: true }));
  }
  const fields = [
    { key: "title", type: "String" },
    { key: "status", type: "String", index: true },
    { key: "views", type: "Number", index: true },
  ];
  const collections = [
    ...sizes.map((size) => ({ name: `posts${size}`, size, rls: { mode: "public-read" } })),
    { name: "notes", size: 10_000, rls: { mode: "private" } },
    { name: "inserted", size: 0, rls: { mode: "public-read" } },
  ];
  for (const { name, size, rls } of collections) {
    await createCollection(services, projectId, parseDefinition({ name, fields, rls }));
    const target = await openForWriting(services, { kind: "secret", projectId }, name);
    for (let at = 0; at < size; at += BULK_DOCUMENTS_MAX) {
      const length = Math.min(BULK_DOCUMENTS_MAX, size - at);
      const body = Array.from({ length }, (_, i) => document(at + i, users));
      await createDocuments(services, target, { body, idempotencyKey: null });
    }
  }
  const userId = users[0]!;
  const token = await issueToken(services, projectId, { userId, seconds: TOKEN_SECONDS });
  return { projectId, publishableKey, secretKey, userId, token };
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

/** About what a blog post, a note or an order line is: 400 bytes as it is answered. */
export const document = (i: number, users: readonly Id[]): Json => ({
  title: `Post number ${i}`,
  summary: `What post ${i} is about, in a sentence as long as such sentences are.`,
  status: i % 3 === 0 ? "draft" : "published",
  views: (i * 7919) % 100_003,
  rating: ((i * 31) % 50) / 10,
  tags: ["alpha", `tag${i % 20}`],
  userId: users[i % users.length]!,
});
