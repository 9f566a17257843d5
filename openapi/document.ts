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

/** Operations by chapter, both in the order of the reference. */
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

/** Every operation, in the order of the reference. */
export const CONTRACTS = Object.values(CHAPTERS).flatMap((chapter) =>
  Object.values<unknown>(chapter)
) as readonly Contract<unknown>[]; // Their principals differ; here only their documents matter.

/** The OpenAPI 3.1 document of all operations, as the server at this address answers it. */
export function buildDocument(serverUrl = "/") {
  const { openAPIRegistry, getOpenAPI31Document } = registry();
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
  return shareExamples(shareParts(withOpenObjects(document)));
}

export interface TagGroup {
  readonly name: string;
  /** With what they are about. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Operations by who calls them. */
export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: "Your app",
    tags: {
      "Documents": "Read and write the documents of collections.",
      "Live lists": "Hear of every change of a list as it happens.",
      "Collections": "How collections are defined.",
      "Types": "What clients are generated from: a project's own document and types.",
      "Sign-in": "Sign users in through a provider that they know.",
      "E-mail sign-in": "Sign users up and in with their e-mail address.",
      "Sessions": "Renew and end what a user signed in to.",
      "Profile": "What users see and change of themselves.",
    },
  },
  {
    name: "Your server",
    tags: {
      "Users": "All users of the project.",
      "Files":
        "Store files, for everybody or for some. Where the project lets them, signed-in users " +
        "do so as well, with the publishable key and their access token: each their own files, and to " +
        "them there are no others.",
      "Mail": "Send mail, and see what became of it.",
      "Access tokens": "Check access tokens elsewhere.",
    },
  },
  {
    name: "Owners",
    tags: {
      "Accounts": "Who works in the dashboard, and on which devices.",
      "Projects": "What an owner sets up, in the dashboard or by script.",
      "Members": "Who works on a project, and who is invited to.",
      "Project sign-in": "Which providers a project's users sign in with.",
      "Project collections": "Define a project's collections.",
      "Project documents": "A project's documents, for its members.",
      "Project files": "A project's files, and where they are kept.",
      "Project mail": "A project's mail server, its templates, and its log.",
      "Webhooks": "Addresses that are told what changes, and what became of each message.",
      "Project users": "A project's users, for its members.",
      "AI": "Ask for queries and collections in plain words.",
    },
  },
  { name: "Server", tags: { "Server": "The server itself." } },
];

/** Many generators take `additionalProperties: {}` for an error, and `true` for what it means. */
const withOpenObjects = <T>(document: T): T =>
  parseJson(JSON.stringify(document, (name, value) => isOpen(name, value) ? true : value)) as T;

const isOpen = (name: string, value: unknown): boolean =>
  name === "additionalProperties" && typeof value === "object" && value !== null &&
  Object.keys(value).length === 0;

function registry() {
  const app = new OpenAPIHono();
  return {
    openAPIRegistry: app.openAPIRegistry,
    getOpenAPI31Document: app.getOpenAPI31Document.bind(app),
  };
}
