import { parseJson } from "@/lib/store/json_text.ts";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Contract } from "./contract.ts";
import { AI } from "./paths/ai.ts";
import { ACCOUNT_EMAIL } from "./paths/account_email.ts";
import { ACCOUNT_TOKENS } from "./paths/account_tokens.ts";
import { ACCOUNTS } from "./paths/accounts.ts";
import { BLOBS } from "./paths/blobs.ts";
import { DATA } from "./paths/data.ts";
import { INVITATIONS } from "./paths/invitations.ts";
import { LIVE } from "./paths/live.ts";
import { MAIL } from "./paths/mail.ts";
import { MEMBERS } from "./paths/members.ts";
import { PROJECT_KEYS } from "./paths/project_keys.ts";
import { PROJECT_REQUESTS } from "./paths/project_requests.ts";
import { PROJECTS } from "./paths/projects.ts";
import { PROJECT_COLLECTIONS } from "./paths/project_collections.ts";
import { PROJECT_SLOW_QUESTIONS } from "./paths/project_slow_questions.ts";
import { PROJECT_DOCUMENTS } from "./paths/project_documents.ts";
import { PROJECT_FILES } from "./paths/project_files.ts";
import { PROJECT_JOBS } from "./paths/project_jobs.ts";
import { PROJECT_MAIL } from "./paths/project_mail.ts";
import { PROJECT_PROVIDERS } from "./paths/project_providers.ts";
import { PROJECT_STORAGE } from "./paths/project_storage.ts";
import { PROJECT_TYPES } from "./paths/project_types.ts";
import { PROJECT_USERS } from "./paths/project_users.ts";
import { PROJECT_VIEWS } from "./paths/project_views.ts";
import { SCHEMAS } from "./paths/schemas.ts";
import { SESSIONS } from "./paths/sessions.ts";
import { SOCIAL } from "./paths/social.ts";
import { STORAGE } from "./paths/storage.ts";
import { SYSTEM } from "./paths/system.ts";
import { USER_EMAIL } from "./paths/user_email.ts";
import { USERS } from "./paths/users.ts";
import { WEBHOOKS } from "./paths/webhooks.ts";
import { introductionWithLinks } from "./introduction.ts";
import { refusalComponents } from "./refusals.ts";
import { SECURITY_SCHEMES } from "./security_schemes.ts";
import { shareExamples } from "./shared_examples.ts";
import { shareParts } from "./shared_parts.ts";

/** Operations by chapter, in the order of the reference. */
export const CHAPTERS = {
  data: DATA,
  live: LIVE,
  schemas: SCHEMAS,
  projectTypes: PROJECT_TYPES,
  social: SOCIAL,
  userEmail: USER_EMAIL,
  sessions: SESSIONS,
  users: USERS,
  storage: STORAGE,
  blobs: BLOBS,
  mail: MAIL,
  accounts: ACCOUNTS,
  accountTokens: ACCOUNT_TOKENS,
  accountEmail: ACCOUNT_EMAIL,
  projects: PROJECTS,
  projectKeys: PROJECT_KEYS,
  projectRequests: PROJECT_REQUESTS,
  projectJobs: PROJECT_JOBS,
  members: MEMBERS,
  invitations: INVITATIONS,
  projectProviders: PROJECT_PROVIDERS,
  projectCollections: PROJECT_COLLECTIONS,
  projectSlowQuestions: PROJECT_SLOW_QUESTIONS,
  projectViews: PROJECT_VIEWS,
  projectDocuments: PROJECT_DOCUMENTS,
  projectUsers: PROJECT_USERS,
  projectFiles: PROJECT_FILES,
  projectStorage: PROJECT_STORAGE,
  projectMail: PROJECT_MAIL,
  webhooks: WEBHOOKS,
  ai: AI,
  system: SYSTEM,
};

export const CONTRACTS = Object.values(CHAPTERS).flatMap((chapter) =>
  Object.values<unknown>(chapter)
) as readonly Contract<unknown>[]; // Only their documents matter here, not their principals.

export function buildDocument(serverUrl = "/") {
  const { openAPIRegistry, getOpenAPI31Document } = createRegistry();
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
  for (const [kind, components] of Object.entries(refusalComponents(CONTRACTS))) {
    for (const [name, component] of Object.entries(components)) {
      openAPIRegistry.registerComponent(
        kind as "schemas" | "examples" | "responses",
        name,
        component,
      );
    }
  }
  for (const { route } of CONTRACTS) openAPIRegistry.registerPath(route);
  const document = getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Corbel",
      version: "1",
      description: introductionWithLinks(serverUrl === "/" ? "" : serverUrl),
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
      contact: { name: "The Corbel authors" },
    },
    servers: [{ url: serverUrl, description: "This server" }],
    tags: TAG_GROUPS.flatMap(({ tags }) =>
      Object.entries(tags).map(([name, description]) => ({ name, description }))
    ),
    "x-tagGroups": TAG_GROUPS.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
  });
  return shareExamples(shareParts(withExplicitOpenObjects(document)));
}

export interface TagGroup {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: "Your app",
    tags: {
      "Documents": "Read and write the documents of collections.",
      "Live lists": "Receive every change of a list as it happens.",
      "Collections": "How collections are defined.",
      "Types": "A project's own document and types, from which clients are generated.",
      "Sign-in": "Sign users in through an external provider.",
      "E-mail sign-in": "Sign users up and in with their e-mail address.",
      "Sessions": "Renew and end the sessions of users.",
      "Profile": "The profile that users see and change.",
    },
  },
  {
    name: "Your server",
    tags: {
      "Users": "All users of the project.",
      "Files":
        "Store public and private files. If the project allows it, signed-in users upload files " +
        "too, with the publishable key and their access token. They see only their own files.",
      "Mail": "Send mail, and see whether it was delivered.",
      "Access tokens": "Verify access tokens on your own servers.",
    },
  },
  {
    name: "Owners",
    tags: {
      "Accounts": "Accounts of the dashboard, and their sessions.",
      "Projects": "Create and configure projects, in the dashboard or by script.",
      "Members": "Members of a project, and invitations.",
      "Project sign-in": "The providers with which a project's users sign in.",
      "Project collections": "Define a project's collections.",
      "Project documents": "A project's documents, for its members.",
      "Project files": "A project's files, and where they are kept.",
      "Project mail": "A project's mail server, its templates, and its log.",
      "Webhooks": "Addresses that are notified of changes, and the state of each message.",
      "Project users": "A project's users, for its members.",
      "AI": "Ask for queries and collections in plain words.",
    },
  },
  { name: "Server", tags: { "Server": "The server itself." } },
];

/** Replaces `additionalProperties: {}`, which many generators reject, with `true`. */
const withExplicitOpenObjects = <T>(document: T): T =>
  parseJson(
    JSON.stringify(document, (name, value) => isEmptySchema(name, value) ? true : value),
  ) as T;

const isEmptySchema = (name: string, value: unknown): boolean =>
  name === "additionalProperties" && typeof value === "object" && value !== null &&
  Object.keys(value).length === 0;

function createRegistry() {
  const app = new OpenAPIHono();
  return {
    openAPIRegistry: app.openAPIRegistry,
    getOpenAPI31Document: app.getOpenAPI31Document.bind(app),
  };
}
