/** Attacked and attacking projects, with all requests that a server may receive. */

import assert from "node:assert/strict";
import { createAccount } from "@/lib/accounts/register_account.ts";
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { guardHeaders, inProject, sampleCalls } from "@/tests/api/sample_calls.ts";
import { type HostileCall, hostileCalls, hostileVisits, type SizeOf } from "./hostile_calls.ts";
import { callOf, ROWS } from "@/tests/pages/every_page.ts";
import type { Call } from "@/tests/support/conforming_client.ts";
import { post, Random } from "@/bench/documents.ts";
import { jsonRequest } from "@/bench/measuring.ts";
import { fill, openProject } from "@/bench/seed.ts";

const PASSWORD = "dry stones in the yard 51";
const DOCUMENTS = 5_000;
const LARGE_DOCUMENTS = 20;
const LARGE_BYTES = 800_000;
const READ_DOCUMENTS = 2_000;
const TOKEN_SECONDS = 86_400;

/** Creates a project with `posts`, and returns how to read them by id. */
export async function openReadable(
  services: Services,
  url: string,
): Promise<{ readonly key: string; readonly urls: readonly string[] }> {
  const { accountId } = await signedInOwner(services, url, "pro");
  const { projectId, secretKey } = await openProject(services, [POSTS], accountId);
  const ids = await fillPosts(services, projectId, READ_DOCUMENTS);
  return { key: secretKey, urls: ids.map((id) => `${url}/api/data/posts/${id}`) };
}

/** All hostile requests of one operation or page. */
export interface Volley {
  readonly name: string;
  calls(sizeOf: SizeOf): Iterable<HostileCall>;
}

/** An account with a project, members and documents, and requests of its callers. */
export interface HostileFixture {
  readonly volleys: readonly Volley[];
  /** Returns whether everything that requests need still exists. Some requests delete it. */
  isComplete(): Promise<boolean>;
}

/** @param url Address of a server on the same data. */
export async function openHostileFixture(services: Services, url: string): Promise<HostileFixture> {
  const owner = await signedInOwner(services, url, "pro");
  const viewer = await signedInOwner(services, url, "free");
  const large = { name: "large", fields: [{ key: "title", type: "String" }], strict: false };
  const project = await openProject(services, [POSTS, large], owner.accountId);
  const { projectId, secretKey } = project;
  const [documentId] = await fillPosts(services, projectId, DOCUMENTS);
  const text = "a".repeat(LARGE_BYTES);
  await fill(services, { projectId, name: "large" }, {
    count: LARGE_DOCUMENTS,
    next: (i) => ({ title: `t${i}`, text }),
  });
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
      const headers = {
        "content-type": "application/json",
        ...await guardHeaders(sample, callers),
      };
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
  const largeList: Call = { path: "/api/data/large", headers: { "x-api-key": secretKey } };
  const listOfLarge = sampleCalls().find(({ operationId }) => operationId === "listDocuments")!;
  const reads = {
    name: "documents of 800 kB",
    calls: (sizeOf: SizeOf) => hostileCalls(listOfLarge, largeList, sizeOf),
  };
  const needed: readonly Call[] = [
    { path: `/api/data/posts/${documentId}`, headers: { "x-api-key": secretKey } },
    { path: "/api/data/large?limit=1&fields=_id", headers: { "x-api-key": secretKey } },
    { path: `/api/projects/${projectId}`, headers: { cookie: owner.cookie } },
  ];
  return {
    volleys: [...operations, ...pages, reads],
    async isComplete() {
      for (const { path, headers } of needed) {
        const response = await fetch(url + path, { headers: new Headers(headers) });
        await response.body?.cancel();
        if (!response.ok) return false;
      }
      return true;
    },
  };
}

const OF_DOCUMENT = /(?<=\/posts\/(?:documents\/)?)[0-9a-f]{24}/;

const POSTS = {
  name: "posts",
  fields: [{ key: "title", type: "String", index: true }, { key: "views", type: "Number" }],
  strict: false,
};

function fillPosts(services: Services, projectId: Id, count: number): Promise<Id[]> {
  const random = new Random(1);
  const next = () => post(random, ["nobody"]);
  return fill(services, { projectId, name: "posts" }, { count, next });
}

async function signedInOwner(
  services: Services,
  url: string,
  plan: "free" | "pro",
): Promise<{ readonly accountId: Id; readonly cookie: string }> {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = { email, name: null, password: PASSWORD, plan };
  const { _id: accountId } = await createAccount(services, account);
  const { url: login, ...init } = jsonRequest(`${url}/api/auth/login`, {}, {
    email,
    password: PASSWORD,
  });
  const response = await fetch(login, init);
  assert.equal(response.status, 200, await response.text());
  return { accountId, cookie: response.headers.getSetCookie()[0]!.split(";")[0]! };
}
