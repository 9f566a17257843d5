/** A server that counts no requests, and who asks it. */

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
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The dashboard's session, if there is one. */
  readonly session?: string;
  /** What paths of this caller lead to, by operation and parameter or by parameter alone. */
  readonly stock: Readonly<Record<string, readonly string[]>>;
  /** Operations of which some request must be taken, or the caller was not let in at all. */
  readonly mayAtLeast: readonly string[];
}

export interface Fixture extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly callers: readonly Caller[];
}

/** Operations that change what all others need, and so come last: those of each line together. */
export const LAST = {
  "the AI key is another": ["setAccountAiKey", "setProjectAiKey"],
  "the session ends": ["logout", "logoutAll", "signOutAccount"],
};

/** Each is there to be deleted once, and of the spares some to be renamed. */
const COUNTS = { batches: 4, documents: 100, users: 60, spares: 15, renamed: 5 };
const TOKEN_SECONDS = 3600;
const ACCOUNT = { email: "ada@example.com", password: "seven wet stones 41" };

/** As examples in the document have it, and with a field of each kind. */
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

/** What the model writes: a query, or a collection that there is not yet. */
const written = ({ schemaName }: AiRequest, index: number) =>
  schemaName === "query" ? { filters: [], sort: "-createdAt" } : {
    type: "schema",
    message: "Here.",
    collections: [{ name: `drafts${index}`, access: "private", fields: [] }],
  };

export async function openFixture(): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const ai = opening.use(startAiFake());
  ai.reply((request, index) => ({ writes: written(request, index) }));
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
  stock: {},
  mayAtLeast: ["GET /api/health", "GET /docs/{file}"],
};

async function withPublishableKey(server: Server): Promise<Caller> {
  const project = await projectWithPosts(server);
  return {
    name: "a publishable key",
    headers: { "x-api-key": project.publishableKey },
    stock: await fill(server, project),
    mayAtLeast: ["GET /api/data/{collectionName}", "GET /api/schemas/{collectionName}"],
  };
}

async function signedIn(server: Server): Promise<Caller> {
  const project = await projectWithPosts(server);
  const { id } = await createUser(server.settings, project);
  const token = await issueToken(server.settings, project, id, TOKEN_SECONDS);
  return {
    name: "a signed-in user",
    headers: { "x-api-key": project.publishableKey, "Authorization": `Bearer ${token}` },
    stock: await fill(server, project, token),
    mayAtLeast: [
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
    stock: await fill(server, project),
    mayAtLeast: [
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
  const created = await made(server, { path: "/api/projects", headers, body: { name: "Mine" } });
  const project = created as Project;
  const path = `/api/projects/${project.projectId}/collections`;
  for (const name of [POSTS.name, ...spares]) {
    await made(server, { path, headers, body: { ...POSTS, name } });
  }
  return {
    name: "an owner",
    headers: {},
    session: session[2]!,
    stock: {
      ...await fill(server, project),
      "renameCollection collectionName": spares.slice(0, COUNTS.renamed),
      "deleteCollection collectionName": spares.slice(COUNTS.renamed),
    },
    mayAtLeast: [
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

/** What a request made, which must be taken. */
// deno-lint-ignore no-explicit-any -- Answers of every shape.
async function made(server: Server, call: Call): Promise<any> {
  const answer = await send(server, call);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

/** Documents, users and a file of the project, and what leads to them. */
async function fill(
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
      ...(await made(server, { path, key, body, ...(token !== undefined && { token }) })).ids,
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

/** Once a hook has changed a path, the tool measures the names left in it as they are encoded. */
const VIEW_NAMES = ["Drafts", "Entwürfe", "Most seen"];

const VERBS = ["get", "replace", "patch", "delete", "recover"];
const OF_DOCUMENTS = ["Document", "ProjectDocument"]
  .flatMap((kind) => VERBS.map((verb) => verb + kind));
const OF_USERS = ["User", "ProjectUser"]
  .flatMap((
    kind,
  ) => [...["get", "patch", "delete"].map((verb) => verb + kind), `end${kind}Sessions`]);

/** The rest of its path. */
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
