import { parseDefinition } from "@/lib/documents/definition.ts";
import {
  closeDemoAccount,
  createDemoAccount,
  DEMO_EMAIL,
  type DemoAccount,
  findDemoAccount,
  openDemoAccount,
} from "@/lib/accounts/demo_account.ts";
import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { createCollection } from "@/lib/documents/save_collection.ts";
import { BULK_DOCUMENTS_MAX } from "@/lib/limits.ts";
import { claim } from "@/lib/projects/claims.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { publishableKeyOf } from "@/lib/projects/list_keys.ts";
import type { Services } from "@/lib/services.ts";
import { CORBEL } from "@/lib/store/changes.ts";
import type { Id, Json } from "@/lib/store/port.ts";

const POSTS = 300;
const NOTES = 40;
const TOKEN_SECONDS = 7 * 86_400;

/** Prepares the demo for `dev`; closes its account for `start`. Resolves to the text to print. */
export async function applyDemoTask(
  services: Services,
  task: "dev" | "start",
): Promise<string | null> {
  if (task === "dev") return await prepareDemo(services);
  await closeDemo(services);
  return null;
}

/** Creates a demo project if there is none. Only then the returned text has the secret key. */
export async function prepareDemo(services: Services): Promise<string> {
  const { publicUrl } = services.config;
  for await (const { _id: projectId, name } of eachProject(services)) {
    await openDemoAccount(services);
    const account = await findDemoAccount(services);
    const publishableKey = await publishableKeyOf(services, projectId);
    return repeatedGreeting(publicUrl, account, { projectId, name, publishableKey });
  }
  if (!await claim(services, "demo")) {
    return otherProcessGreeting(publicUrl);
  }
  const { accountId: ownerId, ...account } = await createDemoAccount(services);
  const project = await createProject(services, {
    name: "Demo",
    siteUrl: "http://localhost:5173",
    ownerId,
  });
  const { projectId } = project;
  await changeProject(services, projectId, { files: { userUploads: "signed-in" } });
  const userId = await createUser(services, projectId, {
    email: "demo@example.com",
    verified: true,
  });
  await createCollection(
    services,
    projectId,
    parseDefinition({
      name: "posts",
      fields: [
        { key: "title", type: "String", required: true, search: true },
        { key: "status", type: "String", default: "draft", index: true },
        { key: "views", type: "Number", default: 0, index: true },
        { key: "tags", type: "Array", items: { type: "String" }, search: true },
        { key: "publishedAt", type: "Date" },
      ],
      rls: { mode: "public-read" },
    }),
  );
  await createCollection(
    services,
    projectId,
    parseDefinition({
      name: "notes",
      fields: [
        { key: "text", type: "String", required: true },
        { key: "done", type: "Boolean", default: false },
      ],
    }),
  );
  await insertDocuments(
    services,
    projectId,
    "posts",
    Array.from({ length: POSTS }, (_, i) => demoPost(i, userId)),
  );
  await insertDocuments(
    services,
    projectId,
    "notes",
    Array.from({ length: NOTES }, (_, i) => demoNote(i, userId)),
  );
  const token = await issueToken(services, projectId, { userId, seconds: TOKEN_SECONDS });
  const { keeps: keepsMail } = services.config.mail;
  return greeting(publicUrl, account, project, { token, keepsMail });
}

/** Closes the demo account, because its password was printed, and logs how to open it again. */
async function closeDemo(services: Services): Promise<void> {
  if (!await closeDemoAccount(services)) return;
  services.log.write(
    "warn",
    `The demo account ${DEMO_EMAIL} of dev cannot sign in: its password was printed. Give it another ` +
      `by "deno task admin account password --email ${DEMO_EMAIL}", and rotate the keys of the demo ` +
      "project if others have seen them.",
  );
}

const otherProcessGreeting = (url: string): string => `
Corbel is running at ${url}. Another process creates the demo project and prints its keys.
Dashboard: ${url}/dashboard
Reference: ${url}/docs
`;

const accountLines = ({ email, password }: DemoAccount): string => `
  e-mail           ${email}
  password         ${password ?? "the one that you gave it"}`;

function repeatedGreeting(
  url: string,
  account: DemoAccount | null,
  { projectId, name, publishableKey }: {
    projectId: Id;
    name: string;
    publishableKey: string | null;
  },
): string {
  const rotate = `deno task admin key rotate --project ${projectId} --kind`;
  return `
Corbel is running at ${url} with the project "${name}" of an earlier start.

  dashboard        ${url}/dashboard${account === null ? "" : accountLines(account)}
  API reference    ${url}/docs
  project          ${projectId}
  publishable key  ${publishableKey ?? `${rotate} publishable makes another`}
  secret key       ${rotate} secret makes another
`;
}

const TOPICS = ["sails", "bread", "maps", "bridges", "clocks", "gardens", "kites", "lenses"];

const demoPost = (i: number, userId: Id): Json => ({
  title: `On ${TOPICS[i % TOPICS.length]}, part ${Math.floor(i / TOPICS.length) + 1}`,
  status: i % 3 === 0 ? "draft" : "published",
  views: (i * 7919) % 1000,
  tags: [TOPICS[i % TOPICS.length]!, i % 2 === 0 ? "even" : "odd"],
  publishedAt: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
  userId,
});

const demoNote = (i: number, userId: Id): Json => ({
  text: `Remember number ${i + 1}`,
  done: i % 4 === 0,
  userId,
});

async function insertDocuments(
  services: Services,
  projectId: Id,
  collectionName: string,
  documents: Json[],
): Promise<void> {
  const corbel: Caller = { kind: "secret", projectId, actor: CORBEL };
  const target = await openForWriting(services, corbel, collectionName);
  for (let at = 0; at < documents.length; at += BULK_DOCUMENTS_MAX) {
    const body = documents.slice(at, at + BULK_DOCUMENTS_MAX);
    await createDocuments(services, target, { body, idempotencyKey: null });
  }
}

function greeting(
  url: string,
  account: DemoAccount,
  keys: { projectId: Id; publishableKey: string; secretKey: string },
  { token, keepsMail }: { token: string; keepsMail: boolean },
): string {
  const publishable = `-H 'x-api-key: ${keys.publishableKey}'`;
  const secret = `-H 'x-api-key: ${keys.secretKey}'`;
  const bearer = `-H 'authorization: Bearer ${token}'`;
  const json = "-H 'content-type: application/json'";
  // With a mail server, the command would send a mail to a stranger.
  const signIn = !keepsMail ? "" : `
A code to sign in with, which is printed below and kept in the dashboard instead of being sent:

curl '${url}/api/userAuth/code/request' ${publishable} ${json} -d '{"email":"ada@example.com"}'
`;
  const where = encodeURIComponent('{"or":[{"views":{"gt":990}},{"status":"draft"}]}');
  return `
Corbel is running at ${url} with a demo project.

  dashboard        ${url}/dashboard${accountLines(account)}
  API reference    ${url}/docs
  project          ${keys.projectId}
  publishable key  ${keys.publishableKey}
  secret key       ${keys.secretKey}  (shown this once)

The newest published posts, for every client with the publishable key:

curl '${url}/api/data/posts?status=published&sort=-publishedAt&limit=3' ${publishable}

A range, a list of values, and a choice of members:

curl '${url}/api/data/posts?views_gte=900&tags_in=maps,kites&sort=-views,title&fields=title,views,tags' ${publishable}

A tree of conditions, counted:

curl '${url}/api/data/posts?where=${where}&count=true' ${publishable}

The notes of the demo user, which other users cannot see:

curl '${url}/api/data/notes?done=false&limit=5' ${publishable} ${bearer}

A new note of theirs:

curl '${url}/api/data/notes' ${publishable} ${bearer} ${json} -d '{"text":"Written with curl"}'

A new post, from a server:

curl '${url}/api/data/posts' ${secret} ${json} -d '{"title":"Hello","status":"published"}'
${signIn}`;
}
