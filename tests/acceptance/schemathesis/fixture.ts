/** A server without rate limits, and the callers of its operations. */

import assert from "node:assert/strict";
import { type AiRequest, startAiFake } from "../../support/ai_fake.ts";
import {
  type Call,
  createCollection,
  createProject,
  createUser,
  issueToken,
  type Project,
  send,
} from "../project.ts";
import { admin, type Server, startServer } from "../server.ts";

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly session?: string;
  /** Values for path parameters of this caller, by operation and parameter or parameter alone. */
  readonly pathValues: Readonly<Record<string, readonly string[]>>;
  /** Operations that must accept at least one request, to prove that the caller is authorized. */
  readonly mustAccept: readonly string[];
}

export interface Fixture extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly callers: readonly Caller[];
}

/** Operations that change what others need, and therefore run last. Each line runs together. */
export const LAST = {
  "the AI key is another": ["setAccountAiKey", "setProjectAiKey"],
  "the session ends": ["logout", "logoutAll", "signOutAccount"],
};

/** Numbers of records. Each can be deleted once, and some of the spares can be renamed. */
const COUNTS = { batches: 4, documents: 100, users: 60, spares: 15, renamed: 5 };
const TOKEN_SECONDS = 3600;
const ACCOUNT = { email: "ada@example.com", password: "seven wet stones 41" };

const FIELDS = [
  { key: "title", type: "String" },
  { key: "status", type: "String" },
  { key: "views", type: "Number", index: true },
  { key: "code", type: "String", unique: true },
  { key: "at", type: "Date" },
  { key: "next", type: "Ref", ref: "posts" },
  { key: "tags", type: "Array", items: { type: "String" } },
];
const POSTS = {
  name: "posts",
  fields: FIELDS,
  strict: false,
  rls: { enabled: true, mode: "public-read" },
};
const spares = Array.from({ length: COUNTS.spares }, (_, i) => `spare${i}`);

/** Returns the model's output: a query, or a collection that does not exist yet. */
const modelOutput = ({ schemaName }: AiRequest, index: number) =>
  schemaName === "query" ? { filters: [], sort: "-createdAt" } : {
    type: "schema",
    message: "Here.",
    collections: [{ name: `drafts${index}`, access: "private", fields: [] }],
  };

export async function openFixture(): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const ai = opening.use(startAiFake());
  ai.reply((request, index) => ({ writes: modelOutput(request, index) }));
  const server = opening.use(
    await startServer({
      settings: {
        RATE_LIMITS: "off",
        MAIL_URL: "keep:",
        AI_API_KEY: ai.key,
        AI_BASE_URL: ai.url,
        AI_MODEL: ai.model,
      },
    }),
  );
  const folder = await Deno.makeTempDir({ prefix: "corbel-schemathesis-" });
  opening.defer(() => Deno.remove(folder, { recursive: true }));
  const callers = [
    anonymous,
    await withPublishableKey(server),
    await signedIn(server),
    await withSecretKey(server),
    await owner(server),
  ];
  const opened = opening.move();
  return { url: server.url, folder, callers, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const anonymous: Caller = {
  name: "anonymous",
  headers: {},
  pathValues: {},
  mustAccept: ["GET /api/health", "GET /docs/{file}"],
};

async function withPublishableKey(server: Server): Promise<Caller> {
  const project = await projectWithPosts(server);
  return {
    name: "a publishable key",
    headers: { "x-api-key": project.publishableKey },
    pathValues: await fillProject(server, project),
    mustAccept: ["GET /api/data/{collectionName}", "GET /api/schemas/{collectionName}"],
  };
}

async function signedIn(server: Server): Promise<Caller> {
  const project = await projectWithPosts(server);
  const { id } = await createUser(server.settings, project);
  const token = await issueToken(server.settings, project, id, TOKEN_SECONDS);
  return {
    name: "a signed-in user",
    headers: { "x-api-key": project.publishableKey, "Authorization": `Bearer ${token}` },
    pathValues: await fillProject(server, project, token),
    mustAccept: [
      "POST /api/data/{collectionName}",
      "PATCH /api/data/{collectionName}/{id}",
      "DELETE /api/data/{collectionName}/{id}",
      "PATCH /api/userAuth/me",
    ],
  };
}

async function withSecretKey(server: Server): Promise<Caller> {
  const project = await projectWithPosts(server);
  return {
    name: "a secret key",
    headers: { "x-api-key": project.secretKey },
    pathValues: await fillProject(server, project),
    mustAccept: [
      "POST /api/data/{collectionName}/bulk",
      "PUT /api/data/{collectionName}/{id}",
      "PATCH /api/userAuth/users/{id}",
      "POST /api/storage/upload-request",
      "GET /api/storage/files",
      "GET /files/{projectId}/{name}",
    ],
  };
}

async function owner(server: Server): Promise<Caller> {
  const registered = await send(server, { path: "/api/auth/register", body: ACCOUNT });
  const session = /^([^=]+)=([^;]+)/.exec(registered.headers.getSetCookie()[0]!)!;
  await admin(["account", "plan", "--email", ACCOUNT.email, "--plan", "pro"], server.settings);
  const headers = { cookie: session[0] };
  const created = await createdBy(server, {
    path: "/api/projects",
    headers,
    body: { name: "Mine" },
  });
  const project = created as Project;
  const path = `/api/projects/${project.projectId}/collections`;
  for (const name of [POSTS.name, ...spares]) {
    await createdBy(server, { path, headers, body: { ...POSTS, name } });
  }
  return {
    name: "an owner",
    headers: {},
    session: session[2]!,
    pathValues: {
      ...await fillProject(server, project),
      "renameCollection collectionName": spares.slice(0, COUNTS.renamed),
      "deleteCollection collectionName": spares.slice(COUNTS.renamed),
    },
    mustAccept: [
      "PATCH /api/projects/{projectId}",
      "PUT /api/projects/{projectId}/collections/{collectionName}",
      "POST /api/projects/{projectId}/collections/{collectionName}/rename",
      "DELETE /api/projects/{projectId}/collections/{collectionName}",
      "PUT /api/projects/{projectId}/collections/{collectionName}/documents/{id}",
      "GET /api/projects/{projectId}/files",
      "PATCH /api/projects/{projectId}/users/{id}",
      "POST /api/projects/{projectId}/ai/query-builder",
      "POST /api/projects/{projectId}/ai/collection-creator",
    ],
  };
}

async function projectWithPosts({ settings }: Server): Promise<Project> {
  const project = await createProject(settings, "https://app.example");
  await createCollection(settings, project, POSTS);
  return project;
}

/** Sends a request that must succeed, and returns its data. */
// deno-lint-ignore no-explicit-any -- Answers of every shape.
async function createdBy(server: Server, call: Call): Promise<any> {
  const answer = await send(server, call);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

async function fillProject(
  server: Server,
  project: Project,
  token?: string,
): Promise<Record<string, readonly string[]>> {
  const key = token === undefined ? project.secretKey : project.publishableKey;
  const path = `/api/data/${POSTS.name}/bulk`;
  const documents: string[] = [];
  for (let batch = 0; batch < COUNTS.batches; batch++) {
    const body = Array.from({ length: COUNTS.documents }, (_, i) => ({
      title: "Hello",
      views: i,
      code: `${batch} ${i}`,
    }));
    documents.push(
      ...(await createdBy(server, { path, key, body, ...(token !== undefined && { token }) })).ids,
    );
  }
  const users: string[] = [];
  while (users.length < COUNTS.users) users.push((await createUser(server.settings, project)).id);
  return {
    projectId: [project.projectId],
    collectionName: [POSTS.name],
    viewName: VIEW_NAMES,
    "serveFile name": [await storeFile(server, project)],
    ...Object.fromEntries(OF_DOCUMENTS.map((id) => [`${id} id`, documents])),
    ...Object.fromEntries(OF_USERS.map((id) => [`${id} id`, users])),
  };
}

/** If a hook has changed a path, the tool measures the encoded length of its names. */
const VIEW_NAMES = ["Drafts", "Entwürfe", "Most seen"];

const VERBS = ["get", "replace", "patch", "delete", "recover"];
const OF_DOCUMENTS = ["Document", "ProjectDocument"]
  .flatMap((kind) => VERBS.map((verb) => verb + kind));
const OF_USERS = ["User", "ProjectUser"]
  .flatMap((
    kind,
  ) => [...["get", "patch", "delete"].map((verb) => verb + kind), `end${kind}Sessions`]);

async function storeFile(server: Server, { secretKey: key }: Project): Promise<string> {
  const content = "Hello";
  const contentType = "text/plain";
  const asked = { filename: "hello.txt", contentType, size: content.length };
  const { body } = await send(server, { path: "/api/storage/upload-request", key, body: asked });
  const put = await fetch(body.signedUrl, {
    method: "PUT",
    body: content,
    headers: { "content-type": contentType },
    client: server.http,
  });
  await put.body?.cancel();
  const { filePath } = body;
  const confirmed = await send(server, {
    path: "/api/storage/upload-confirm",
    key,
    body: { filePath, size: content.length },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  return filePath.split("/")[1];
}
