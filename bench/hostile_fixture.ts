import { parseDefinition } from "@/lib/documents/definition.ts";
/** Projects to read from and to attack from, and everything that can be sent to a server. */

import assert from "node:assert/strict";
import { createAccount } from "@/lib/accounts/register_account.ts";
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import type { Services } from "@/lib/services.ts";
import type { Json } from "@/lib/store/port.ts";
import { admission, inProject, sampleCalls } from "@/tests/api/sample_calls.ts";
import {
  type HostileCall,
  hostileCalls,
  hostileVisits,
  type SizeOf,
} from "@/tests/attacks/hostile_calls.ts";
import { callOf, ROWS } from "@/tests/pages/every_page.ts";
import type { Call } from "@/tests/support/conforming_client.ts";
import { post } from "./documents.ts";
import { Random } from "./random.ts";
import { payingAccount } from "./seed.ts";

const DOCUMENTS = 5_000;
const LARGE_DOCUMENTS = 20;
const LARGE_BYTES = 800_000;
const PASSWORD = "dry stones in the yard 51";
const TOKEN_SECONDS = 86_400;

export interface Readable {
  readonly secretKey: string;
  readonly ids: readonly string[];
}

/** A project of its own, whose `posts` are read by their ids. */
export async function openReadable(services: Services): Promise<Readable> {
  const ownerId = await payingAccount(services);
  const project = { name: "Read", siteUrl: null, ownerId, isOperators: true };
  const { projectId, secretKey } = await createProject(services, project);
  return { secretKey, ids: await filledPosts(services, projectId, 2_000) };
}

/** What is sent in one go: one operation or page with all that it may be sent. */
export interface Volley {
  readonly name: string;
  calls(sizeOf: SizeOf): Iterable<HostileCall>;
}

/** An account with a project, members and documents, and what its callers may send. */
export interface HostileFixture {
  readonly volleys: readonly Volley[];
  /** Whether everything that requests need is there still; some of them take it away. */
  isWhole(): Promise<boolean>;
}

/** @param url Of a server on the same data. */
export async function openHostileFixture(services: Services, url: string): Promise<HostileFixture> {
  const owner = await signedIn(services, url, "pro");
  const viewer = await signedIn(services, url, "free");
  const project = await createProject(services, {
    name: "Attack",
    siteUrl: "https://app.example",
    ownerId: owner.accountId,
    isOperators: true,
  });
  const { projectId, secretKey } = project;
  const [documentId] = await filledPosts(services, projectId, DOCUMENTS);
  await fillLarge(services, projectId);
  const email = `${crypto.randomUUID()}@example.com`;
  const userId = await createUser(services, projectId, { email, verified: true });
  const token = await issueToken(services, projectId, { userId, seconds: TOKEN_SECONDS });
  const invited = await fetch(`${url}/api/projects/${projectId}/members`, {
    method: "POST",
    headers: { cookie: owner.cookie, "content-type": "application/json" },
    body: JSON.stringify({ email, role: "viewer" }),
  });
  const { data: invitation } = await invited.json();
  assert.equal(invited.status, 201);

  const callers = {
    ...project,
    user: () => Promise.resolve({ id: userId, token }),
    owner: () => Promise.resolve(owner),
  };
  const operations = await Promise.all(
    sampleCalls().map(async (sample) => {
      const { path, ...rest } = inProject(sample.call, projectId);
      const headers = { "content-type": "application/json", ...await admission(sample, callers) };
      const call = { ...rest, headers, path: path.replace(OF_DOCUMENT, documentId!) };
      return {
        name: sample.operationId,
        calls: (sizeOf: SizeOf) => hostileCalls(sample, call, sizeOf),
      };
    }),
  );
  const household = { project, documentId: documentId!, userId, viewer, invitation };
  const pages = ROWS.map((row) => {
    const call = callOf(row, household, { headers: [["cookie", owner.cookie]] });
    return {
      name: `${row.method} ${row.template}`,
      calls: (sizeOf: SizeOf) => hostileVisits(row, call, sizeOf),
    };
  });
  const large: Call = { path: "/api/data/large", headers: { "x-api-key": secretKey } };
  const listOfLarge = sampleCalls().find(({ operationId }) => operationId === "listDocuments")!;
  const reads = {
    name: "documents of 800 kB",
    calls: (sizeOf: SizeOf) => hostileCalls(listOfLarge, large, sizeOf),
  };
  const needed: readonly Call[] = [
    { path: `/api/data/posts/${documentId}`, headers: { "x-api-key": secretKey } },
    { path: "/api/data/large?limit=1&fields=_id", headers: { "x-api-key": secretKey } },
    { path: `/api/projects/${projectId}`, headers: { cookie: owner.cookie } },
  ];
  return {
    volleys: [...operations, ...pages, reads],
    async isWhole() {
      for (const { path, headers } of needed) {
        const response = await fetch(url + path, { headers: new Headers(headers) });
        await response.body?.cancel();
        if (!response.ok) return false;
      }
      return true;
    },
  };
}

/** The id at the end of a document's path. */
const OF_DOCUMENT = /(?<=\/posts\/(?:documents\/)?)[0-9a-f]{24}/;

async function signedIn(services: Services, url: string, plan: "free" | "pro") {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = { email, name: null, password: PASSWORD, plan };
  const { _id: accountId } = await createAccount(services, account);
  const response = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  assert.equal(response.status, 200, await response.text());
  return { accountId, cookie: response.headers.getSetCookie()[0]!.split(";")[0]! };
}

async function filledPosts(services: Services, projectId: string, count: number) {
  await createCollection(
    services,
    projectId,
    parseDefinition({
      name: "posts",
      fields: [{ key: "title", type: "String", index: true }, { key: "views", type: "Number" }],
      strict: false,
    }),
  );
  const random = new Random(1);
  return await fill(services, projectId, "posts", count, () => post(random, ["nobody"]));
}

async function fillLarge(services: Services, projectId: string): Promise<void> {
  const fields = [{ key: "title", type: "String" }];
  await createCollection(
    services,
    projectId,
    parseDefinition({ name: "large", fields, strict: false }),
  );
  const text = "a".repeat(LARGE_BYTES);
  await fill(services, projectId, "large", LARGE_DOCUMENTS, (i) => ({ title: `t${i}`, text }));
}

async function fill(
  services: Services,
  projectId: string,
  name: string,
  count: number,
  documentAt: (i: number) => Json,
): Promise<string[]> {
  const target = await openForWriting(services, { kind: "secret", projectId }, name);
  const ids: string[] = [];
  for (let at = 0; at < count; at += BULK_DOCUMENTS_MAX) {
    const length = Math.min(BULK_DOCUMENTS_MAX, count - at);
    const body = Array.from({ length }, (_, i) => documentAt(at + i));
    const answer = await createDocuments(services, target, { body, idempotencyKey: null });
    ids.push(...JSON.parse(answer).ids);
  }
  return ids;
}
