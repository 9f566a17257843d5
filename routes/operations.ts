import { CHAPTERS, CONTRACTS } from "@/openapi/document.ts";
import { accounts } from "./accounts/accounts.ts";
import { accountEmail } from "./accounts/email.ts";
import { accountTokens } from "./accounts/tokens.ts";
import { ai } from "./ai/ai.ts";
import { blobs } from "./blobs/mod.ts";
import { live } from "./data/live.ts";
import { data } from "./data/mod.ts";
import { schemas } from "./data/schemas.ts";
import type { Handler, HandlersOf, Mount } from "./handler.ts";
import { mail } from "./mail/mails.ts";
import { projectMail } from "./mail/project_mail.ts";
import { projectCollections } from "./project_collections/collections.ts";
import { projectSlowQuestions } from "./project_collections/slow_questions.ts";
import { projectViews } from "./project_collections/views.ts";
import { projectDocuments } from "./project_documents/documents.ts";
import { projectFiles } from "./project_files/files.ts";
import { projectProviders } from "./project_providers/providers.ts";
import { projectStorage } from "./project_storage/storage.ts";
import { invitations } from "./projects/invitations.ts";
import { projectJobs } from "./projects/jobs.ts";
import { projectKeys } from "./projects/keys.ts";
import { members } from "./projects/members.ts";
import { projects } from "./projects/projects.ts";
import { projectRequests } from "./projects/requests.ts";
import { types as projectTypes } from "./projects/types.ts";
import { sessions } from "./sessions/sessions.ts";
import { social } from "./social/social.ts";
import { storage } from "./storage/storage.ts";
import { system } from "./system/system.ts";
import { projectUsers } from "./users/project_users.ts";
import { userEmail } from "./users/user_email.ts";
import { users } from "./users/users.ts";
import { webhooks } from "./webhooks/webhooks.ts";

type Chapters = typeof CHAPTERS;

/** Handlers of all chapters. Missing and unknown chapters and handlers are type errors. */
const HANDLERS: { readonly [Name in keyof Chapters]: HandlersOf<Chapters[Name]> } = {
  accountEmail,
  accountTokens,
  accounts,
  ai,
  blobs,
  data,
  invitations,
  live,
  mail,
  members,
  projectCollections,
  projectDocuments,
  projectFiles,
  projectJobs,
  projectKeys,
  projectMail,
  projectProviders,
  projectRequests,
  projectSlowQuestions,
  projectStorage,
  projectTypes,
  projectUsers,
  projectViews,
  projects,
  schemas,
  sessions,
  social,
  storage,
  system,
  userEmail,
  users,
  webhooks,
};

export function mountOperations(mount: Mount): void {
  const handlers = new Map<string, Handler<unknown>>();
  for (const [chapter, contracts] of Object.entries(CHAPTERS)) {
    const ofChapter = HANDLERS[chapter as keyof Chapters] as object as Record<
      string,
      Handler<unknown>
    >; // `HANDLERS` pairs each contract with a handler of its types.
    for (const [name, { operationId }] of Object.entries(contracts)) {
      if (name in ofChapter) handlers.set(operationId, ofChapter[name]!);
    }
  }
  for (const contract of CONTRACTS) {
    mount(contract, handlers.get((contract.mirrors ?? contract).operationId)!);
  }
}
