/**
 * By which words each operation that takes a personal access token is called on the command line.
 * They are in people's scripts: a new operation gets words, and none is renamed.
 */
export const COMMAND_WORDS: Readonly<Record<string, string>> = {
  getAccount: "account show",
  getAiUsage: "account ai-usage",
  listProjects: "projects list",
  createProject: "projects create",
  getProject: "projects show",
  patchProject: "projects update",
  deleteProject: "projects delete",
  offerOwnership: "projects offer",
  getProjectUsage: "projects usage",
  listJobs: "jobs list",
  tryJob: "jobs try",
  listProjectKeys: "keys list",
  rotateProjectKey: "keys rotate",
  endFormerProjectKey: "keys end-former",
  listMembers: "members list",
  inviteMember: "members invite",
  changeMember: "members update",
  removeMember: "members remove",
  listInvitations: "invitations list",
  revokeInvitation: "invitations withdraw",
  listProviders: "providers list",
  setProvider: "providers set",
  listCollections: "collections list",
  createCollection: "collections create",
  updateCollection: "collections update",
  deleteCollection: "collections delete",
  listSlowQuestions: "collections slow-questions",
  listProjectDocuments: "documents list",
  aggregateProjectDocuments: "documents aggregate",
  createProjectDocument: "documents create",
  getProjectDocument: "documents show",
  replaceProjectDocument: "documents replace",
  patchProjectDocument: "documents update",
  deleteProjectDocument: "documents delete",
  recoverProjectDocument: "documents recover",
  getProjectOpenApi: "types openapi",
  getProjectTypes: "types typescript",
  listProjectUsers: "users list",
  createProjectUser: "users create",
  getProjectUser: "users show",
  patchProjectUser: "users update",
  deleteProjectUser: "users delete",
  listProjectUserSessions: "users sessions",
  endProjectUserSession: "users end-session",
  endProjectUserSessions: "users sign-out",
  getUserFields: "users fields",
  setUserFields: "users set-fields",
  listProjectFiles: "files list",
  requestProjectUpload: "files request-upload",
  confirmProjectUpload: "files confirm-upload",
  signProjectFile: "files sign",
  changeProjectFile: "files update",
  deleteProjectFile: "files delete",
  getProjectStorage: "storage show",
  setProjectStorage: "storage set",
  clearProjectStorage: "storage clear",
  checkProjectStorage: "storage check",
  getProjectMail: "mail show",
  setProjectMail: "mail set",
  clearProjectMail: "mail clear",
  checkProjectMail: "mail test",
  listProjectMails: "mail log",
  sendProjectMailAgain: "mail resend",
  listMailTemplates: "templates list",
  setMailTemplate: "templates set",
  deleteMailTemplate: "templates delete",
  previewMailTemplate: "templates preview",
  listWebhooks: "webhooks list",
  createWebhook: "webhooks create",
  getWebhook: "webhooks show",
  updateWebhook: "webhooks update",
  deleteWebhook: "webhooks delete",
  rotateWebhookSecret: "webhooks rotate-secret",
  testWebhook: "webhooks test",
  listWebhookDeliveries: "deliveries list",
  getWebhookDelivery: "deliveries show",
  replayWebhookDelivery: "deliveries replay",
  replayWebhookDeliveries: "deliveries replay-since",
  setProjectAiKey: "ai set-key",
  buildQuery: "ai query",
  designCollections: "ai design",
  applyDesign: "ai apply",
  endDesign: "ai end",
};

/** Operations without a command: the same as another one, at a second address. */
export const SAME_AS: Readonly<Record<string, string>> = { getUserAccount: "getAccount" };

/** Groups of commands, in the order of the help. */
export const GROUPS: Readonly<Record<string, string>> = {
  account: "The account that the token is of.",
  projects: "Projects, their settings and their owner.",
  keys: "API keys.",
  jobs: "What is still to be done in a project.",
  members: "Who works on a project.",
  invitations: "Open invitations to a project.",
  collections: "How collections are defined.",
  documents: "Documents of collections.",
  types: "Types and the document of one project, for generators.",
  users: "A project's users.",
  providers: "Sign-in providers.",
  files: "A project's files.",
  storage: "A bucket of the project's own.",
  mail: "A project's mail server, and what was sent.",
  templates: "Words of a project's mails.",
  webhooks: "Addresses that are told what changes.",
  deliveries: "Messages of webhooks.",
  ai: "Queries and collections in plain words.",
};

/** Parameters whose options are called otherwise than they are. */
export const OPTION_NAMES: Readonly<Record<string, string>> = {
  projectId: "project",
  collectionName: "collection",
  accountId: "account",
  invitationId: "invitation",
  deliveryId: "delivery",
  sessionId: "session",
  jobId: "job",
  filePath: "path",
  userMessage: "message",
  // `--url` says where Corbel is.
  url: "address",
};

/** Never given in arguments, which other processes see: from a file or standard input. */
export const SECRET_MEMBERS: readonly string[] = [
  "aiKey",
  "clientSecret",
  "password",
  "secretAccessKey",
  "setProjectMail.url",
];

/** Texts of many lines, which are mostly in a file. */
export const LONG_MEMBERS: readonly string[] = ["html", "text"];

/** Headers that a command line has no use for: it keeps no answers. */
export const HEADERS_LEFT_OUT: readonly string[] = ["if-none-match", "cache-control"];
