import assert from "node:assert/strict";
import type { Role } from "@/lib/projects/members.ts";
import { pages } from "@/routes/dashboard/mod.ts";
import { joinProject, openAccount, PASSWORD, type TestAccount } from "../support/dashboard.ts";
import type { Call } from "../support/conforming_client.ts";
import type { TestApp, TestProject } from "../support/test_app.ts";

/** The least privileged caller of a page: anyone, an account, or a member with a role. */
export type MinimumCaller = "anybody" | "account" | Role;

export interface PageRow {
  readonly method: "GET" | "POST";
  readonly template: string;
  readonly least: MinimumCaller;
}

const HOME = "/dashboard/projects/{projectId}";
const COLLECTION = `${HOME}/collections/{collectionName}`;
const WEBHOOK = `${HOME}/webhooks/{webhookId}`;
const TEMPLATE = `${HOME}/mail/templates/{name}/{language}`;

/** Every page and every form of the dashboard. A new one needs a row here, or the suite fails. */
const MINIMUM_CALLERS: Readonly<Record<string, MinimumCaller>> = {
  "GET /dashboard/assets/{file}": "anybody",
  "GET /dashboard/sign-in": "anybody",
  "POST /dashboard/sign-in": "anybody",
  "GET /dashboard/register": "anybody",
  "POST /dashboard/register": "anybody",
  "POST /dashboard/sign-out": "anybody",
  "GET /dashboard/forgot-password": "anybody",
  "GET /dashboard/verify": "anybody",
  "POST /dashboard/verify": "anybody",
  "POST /dashboard/verify/code": "anybody",
  "POST /dashboard/language": "anybody",
  "GET /dashboard/invitations/{token}": "account",
  "POST /dashboard/invitations/{token}/accept": "account",
  "POST /dashboard/invitations/{token}/decline": "account",
  "GET /dashboard": "account",
  "POST /dashboard": "account",
  "GET /dashboard/account": "account",
  "GET /dashboard/account/mailbox": "account",
  "GET /dashboard/account/mailbox/kept/{mailId}": "account",
  "POST /dashboard/account/name": "account",
  "POST /dashboard/account/email": "account",
  "POST /dashboard/account/email/confirm": "account",
  "POST /dashboard/account/password": "account",
  "POST /dashboard/account/sessions": "account",
  "POST /dashboard/account/sessions/{sessionId}": "account",
  "POST /dashboard/account/tokens": "account",
  "POST /dashboard/account/tokens/{tokenId}": "account",
  "POST /dashboard/account/ai-key": "account",
  "POST /dashboard/account/ai-key/clear": "account",
  "POST /dashboard/account/delete": "account",
  [`GET ${HOME}`]: "viewer",
  [`POST ${HOME}`]: "admin",
  [`POST ${HOME}/keys`]: "admin",
  [`GET ${HOME}/request-counts`]: "viewer",
  [`POST ${HOME}/keys/end`]: "admin",
  [`GET ${HOME}/requests`]: "viewer",
  [`POST ${HOME}/requests/recording`]: "admin",
  [`GET ${HOME}/slow-questions`]: "viewer",
  [`POST ${HOME}/slow-questions`]: "admin",
  [`GET ${HOME}/jobs`]: "viewer",
  [`POST ${HOME}/jobs/{jobId}`]: "admin",
  [`GET ${HOME}/settings`]: "viewer",
  [`POST ${HOME}/settings`]: "admin",
  [`POST ${HOME}/settings/delete`]: "owner",
  [`GET ${HOME}/collections`]: "viewer",
  [`GET ${HOME}/diagram`]: "viewer",
  [`POST ${HOME}/collections`]: "admin",
  [`GET ${COLLECTION}`]: "viewer",
  [`GET ${COLLECTION}/fields`]: "viewer",
  [`POST ${COLLECTION}/fields`]: "admin",
  [`POST ${COLLECTION}/delete`]: "admin",
  [`GET ${COLLECTION}/access`]: "viewer",
  [`POST ${COLLECTION}/access`]: "admin",
  [`GET ${COLLECTION}/api`]: "viewer",
  [`GET ${COLLECTION}/filter`]: "viewer",
  [`GET ${COLLECTION}/search`]: "viewer",
  [`POST ${COLLECTION}/columns`]: "viewer",
  [`POST ${COLLECTION}/rename`]: "admin",
  [`POST ${COLLECTION}/views`]: "admin",
  [`GET ${COLLECTION}/export`]: "viewer",
  [`POST ${COLLECTION}/ask`]: "admin",
  [`POST ${COLLECTION}/documents`]: "admin",
  [`GET ${COLLECTION}/documents/live`]: "viewer",
  [`GET ${COLLECTION}/documents/{id}`]: "viewer",
  [`POST ${COLLECTION}/documents/{id}`]: "admin",
  [`GET ${COLLECTION}/new`]: "admin",
  [`POST ${COLLECTION}/new`]: "admin",
  [`GET ${COLLECTION}/import`]: "admin",
  [`POST ${COLLECTION}/import`]: "admin",
  [`POST ${COLLECTION}/import/run`]: "admin",
  [`GET ${HOME}/sign-in`]: "viewer",
  [`POST ${HOME}/sign-in`]: "admin",
  [`POST ${HOME}/sign-in/sign-up`]: "admin",
  [`GET ${HOME}/sign-in/tried`]: "admin",
  [`GET ${HOME}/sign-in/providers/{provider}/try`]: "admin",
  [`GET ${HOME}/sign-in/providers/{provider}`]: "viewer",
  [`POST ${HOME}/sign-in/providers/{provider}`]: "admin",
  [`GET ${HOME}/users`]: "viewer",
  [`GET ${HOME}/users/new`]: "admin",
  [`POST ${HOME}/users/new`]: "admin",
  [`GET ${HOME}/users/fields`]: "viewer",
  [`POST ${HOME}/users/fields`]: "admin",
  [`GET ${HOME}/users/{id}`]: "viewer",
  [`GET ${HOME}/users/{id}/edit`]: "admin",
  [`POST ${HOME}/users/{id}/edit`]: "admin",
  [`POST ${HOME}/users/{id}/disable`]: "admin",
  [`POST ${HOME}/users/{id}/enable`]: "admin",
  [`POST ${HOME}/users/{id}/sessions`]: "admin",
  [`POST ${HOME}/users/{id}/sessions/{sessionId}`]: "admin",
  [`POST ${HOME}/users/{id}/test-token`]: "admin",
  [`POST ${HOME}/users/{id}/delete`]: "admin",
  [`GET ${HOME}/mail`]: "viewer",
  [`GET ${HOME}/mail/log`]: "viewer",
  [`GET ${HOME}/mail/kept/{mailId}`]: "admin",
  [`POST ${HOME}/mail/log/{mailId}`]: "admin",
  [`GET ${HOME}/mail/server`]: "viewer",
  [`POST ${HOME}/mail/server`]: "admin",
  [`POST ${HOME}/mail/server/language`]: "admin",
  [`POST ${HOME}/mail/server/check`]: "admin",
  [`POST ${HOME}/mail/server/clear`]: "admin",
  [`GET ${HOME}/mail/templates`]: "viewer",
  [`GET ${HOME}/mail/templates/new`]: "admin",
  [`GET ${TEMPLATE}`]: "viewer",
  [`POST ${TEMPLATE}`]: "admin",
  [`GET ${TEMPLATE}/preview`]: "viewer",
  [`POST ${TEMPLATE}/preview`]: "admin",
  [`POST ${TEMPLATE}/delete`]: "admin",
  [`GET ${HOME}/webhooks`]: "viewer",
  [`GET ${HOME}/webhooks/new`]: "admin",
  [`POST ${HOME}/webhooks/new`]: "admin",
  [`GET ${WEBHOOK}`]: "viewer",
  [`POST ${WEBHOOK}`]: "admin",
  [`POST ${WEBHOOK}/test`]: "admin",
  [`POST ${WEBHOOK}/secret`]: "admin",
  [`POST ${WEBHOOK}/delete`]: "admin",
  [`POST ${WEBHOOK}/replay`]: "admin",
  [`GET ${WEBHOOK}/deliveries/{deliveryId}`]: "viewer",
  [`POST ${WEBHOOK}/deliveries/{deliveryId}`]: "admin",
  [`GET ${HOME}/files`]: "viewer",
  [`POST ${HOME}/files`]: "admin",
  [`GET ${HOME}/files/delete`]: "viewer",
  [`POST ${HOME}/files/delete`]: "admin",
  [`GET ${HOME}/files/details`]: "viewer",
  [`GET ${HOME}/files/open`]: "viewer",
  [`GET ${HOME}/files/uploads`]: "viewer",
  [`POST ${HOME}/files/uploads`]: "admin",
  [`GET ${HOME}/files/visibility`]: "viewer",
  [`POST ${HOME}/files/visibility`]: "admin",
  [`GET ${HOME}/files/storage`]: "viewer",
  [`POST ${HOME}/files/storage`]: "admin",
  [`GET ${HOME}/files/storage/check`]: "viewer",
  [`GET ${HOME}/files/storage/clear`]: "viewer",
  [`POST ${HOME}/files/storage/check`]: "admin",
  [`POST ${HOME}/files/storage/clear`]: "admin",
  [`GET ${HOME}/ai`]: "viewer",
  [`POST ${HOME}/ai/key`]: "admin",
  [`GET ${HOME}/ai/designer`]: "viewer",
  [`POST ${HOME}/ai/designer`]: "admin",
  [`GET ${HOME}/members`]: "viewer",
  [`POST ${HOME}/members`]: "admin",
  [`POST ${HOME}/members/{accountId}`]: "admin",
  // Members may remove themselves; only admins remove others.
  [`POST ${HOME}/members/{accountId}/remove`]: "viewer",
  [`POST ${HOME}/members/{accountId}/owner`]: "owner",
  [`GET ${HOME}/invitations`]: "viewer",
  [`POST ${HOME}/invitations/{invitationId}`]: "admin",
};

export const ROWS: readonly PageRow[] = Object.entries(MINIMUM_CALLERS).map(([name, least]) => {
  const [method, template] = name.split(" ") as [PageRow["method"], string];
  return { method, template, least };
});

/** Returns the pages and forms that the app mounts, named as in the table. */
export function mountedPages(): string[] {
  const mounted: string[] = [];
  pages(({ method, path }) => void mounted.push(`${method.toUpperCase()} ${path}`));
  return mounted;
}

export const namesOf = (rows: readonly PageRow[]): string[] =>
  rows.map(({ method, template }) => `${method} ${template}`);

export const MISSING_ID = "64f1a2b3c4d5e6f708192a3b";

type Pairs = readonly (readonly [string, string])[];

const FORM = "application/x-www-form-urlencoded";

/** Form values with which forms succeed, by the end of their paths. */
const FORM_VALUES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["/dashboard", { name: "Stolen" }],
  ["/password", { currentPassword: PASSWORD, newPassword: "other dry stones 52" }],
  ["/account/delete", { password: PASSWORD }],
  ["/account/name", { name: "Stolen" }],
  ["/account/email", { newEmail: "stolen@example.com", password: PASSWORD }],
  ["/account/email/confirm", { otp: "000000" }],
  ["/tokens", { name: "Stolen", access: "write", reach: "all", expiresInDays: "90" }],
  ["/{projectId}", { siteUrl: "https://evil.example" }],
  ["/keys", { kind: "secret" }],
  ["/slow-questions", { collection: "posts", index: "title" }],
  ["/settings", { name: "Stolen" }],
  ["/settings/delete", { name: "Test" }],
  ["/collections", { name: "stolen" }],
  ["/fields", { "0.key": "stolen", "0.type": "String" }],
  ["/{collectionName}/delete", { name: "posts" }],
  ["/access", { access: "off" }],
  ["/documents", { act: "delete", sure: "yes", id: "{id}" }],
  ["/documents/{id}", { "f.title": "Stolen" }],
  ["/new", { "f.title": "Stolen" }],
  ["/users/new", { email: "stolen@example.com" }],
  ["/users/fields", { "0.key": "stolen", "0.type": "String" }],
  ["/users/{id}/edit", { name: "Stolen", roles: "admin" }],
  ["/sign-in/sign-up", { signUp: "closed", anonymous: "on", passwordLengthMin: "8" }],
  ["/mail/server", { host: "smtp.example.com", port: "587", from: "stolen@example.com" }],
  ["/mail/server/language", { mailLanguage: "fr" }],
  ["/mail/templates/{name}/{language}", { subject: "Stolen", text: "Stolen" }],
  ["/projects/{projectId}/sign-in", { siteUrl: "https://evil.example" }],
  ["/sign-in/providers/{provider}", { clientId: "stolen", linking: "never" }],
  ["/storage", {
    endpoint: "https://s3.example",
    bucket: "stolen",
    accessKeyId: "A",
    secretAccessKey: "b",
  }],
  ["/{accountId}", { role: "admin" }],
  ["/members", { email: "ada@example.com", role: "admin" }],
];

const formValuesFor = (template: string) =>
  FORM_VALUES.filter(([end]) => template.endsWith(end)).toSorted(([a], [b]) =>
    b.length - a.length
  )[0]
    ?.[1] ?? {};

/** Ids in the paths of pages. */
export interface PathIds extends Pick<Household, "documentId" | "userId" | "invitation"> {
  readonly project: Pick<TestProject, "projectId">;
  readonly viewer: Pick<TestAccount, "accountId">;
  readonly webhookId?: string;
}

/** Returns the request of a row as a browser sends it, for a project that may be another one. */
export function callOf(
  { method, template }: PageRow,
  { project, documentId, userId, viewer, invitation, webhookId = MISSING_ID }: PathIds,
  { headers = [], projectId = project.projectId }: { headers?: Pairs; projectId?: string } = {},
): Call {
  const values: Readonly<Record<string, string>> = {
    projectId,
    collectionName: "posts",
    provider: "github",
    file: "base.css",
    name: "code",
    language: "en",
    accountId: viewer.accountId,
    invitationId: invitation.invitationId,
    token: invitation.token,
    webhookId,
    id: template.includes("/users/") ? userId : documentId,
  };
  const inserted = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? MISSING_ID);
  const path = inserted(template);
  if (method === "GET") return { method, path, headers: [...headers] as [string, string][] };
  const fields = Object.entries(formValuesFor(template))
    .map(([name, value]) => [name, inserted(value)]);
  return {
    method,
    path,
    headers: [["content-type", FORM], ...headers] as [string, string][],
    body: new URLSearchParams(fields).toString(),
  };
}

const RANKS: readonly MinimumCaller[] = ["anybody", "account", "viewer", "admin", "owner"];

export const isOpenTo = (who: MinimumCaller, { least }: PageRow): boolean =>
  RANKS.indexOf(who) >= RANKS.indexOf(least);

/** Returns the row of an address as a browser requests it. */
export function rowAt(method: string, href: string): PageRow | undefined {
  const { pathname } = new URL(href, "http://localhost");
  const found = ROWS.filter((row) =>
    row.method === method &&
    new RegExp(`^${row.template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)
  );
  // A literal path takes precedence over one with parameters.
  return found.toSorted((a, b) => holesOf(a) - holesOf(b))[0];
}

const holesOf = ({ template }: PageRow): number => template.split("{").length;

/** A project with content on every page, its members, and an account that is a stranger to it. */
export interface Household extends Readonly<Record<Role | "stranger", TestAccount>> {
  readonly project: TestProject;
  readonly home: string;
  readonly documentId: string;
  readonly trashedId: string;
  readonly userId: string;
  /** An open invitation of the stranger. */
  readonly invitation: { readonly invitationId: string; readonly token: string };
}

export async function openHousehold(app: TestApp): Promise<Household> {
  const project = await app.project({ siteUrl: "https://app.example" });
  const { projectId } = project;
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  const add = async (title: string): Promise<string> =>
    (await project.asSecret({ path: "/api/data/posts", body: { title } })).body.data._id;
  const [documentId, trashedId] = [await add("One"), await add("Two")];
  await project.asSecret({ method: "DELETE", path: `/api/data/posts/${trashedId}` });
  const [admin, viewer, stranger] = [
    await openAccount(app),
    await openAccount(app),
    await openAccount(app, { email: "stranger@example.com" }),
  ];
  await joinProject(app.services, projectId, admin.accountId, "admin");
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const owner = await project.owner();
  await setUpSignIn(owner, projectId);
  const user = await project.user();
  const body = { email: stranger.email, role: "viewer" };
  const invited = await owner.send({ path: `/api/projects/${projectId}/members`, body });
  return {
    project,
    home: `/dashboard/projects/${projectId}`,
    owner,
    admin,
    viewer,
    stranger,
    documentId,
    trashedId,
    userId: user.id,
    invitation: invited.body.data,
  };
}

async function setUpSignIn(owner: TestAccount, projectId: string): Promise<void> {
  const answer = await owner.send({
    method: "PUT",
    path: `/api/projects/${projectId}/providers/github`,
    body: { enabled: true, clientId: "id", clientSecret: "secret" },
  });
  assert.equal(answer.status, 200, answer.text);
}
