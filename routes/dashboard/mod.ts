import type { Mount } from "../handler.ts";
import { accountPages } from "./accounts/mod.ts";
import { aiPages } from "./ai/mod.ts";
import { serveAsset } from "./assets.ts";
import { collectionsPages } from "./collections/mod.ts";
import { diagramPages } from "./diagram/mod.ts";
import { documentsPages } from "./documents/mod.ts";
import { filesPages } from "./files/mod.ts";
import { visitor } from "./guards.ts";
import { jobsPages } from "./jobs/mod.ts";
import { invitationPages } from "./invitations/mod.ts";
import { mailPages } from "./mail/mod.ts";
import { membersPages } from "./members/mod.ts";
import { overviewPages } from "./overview/mod.ts";
import { chooseLanguage } from "./language.ts";
import { get, post } from "./pages.ts";
import { projectPages } from "./projects/mod.ts";
import { requestsPages } from "./requests/mod.ts";
import { slowQuestionsPages } from "./slow_questions/mod.ts";
import { socialPages } from "./social/mod.ts";
import { usersPages } from "./users/mod.ts";
import { webhookPages } from "./webhooks/mod.ts";

/** Mounts the dashboard's pages, which call the same verbs as the operations of the API. */
export function pages(mount: Mount): void {
  mount(get("/dashboard/assets/{file}", visitor), serveAsset);
  mount(post("/dashboard/language", visitor), chooseLanguage);
  accountPages(mount);
  projectPages(mount);
  overviewPages(mount);
  requestsPages(mount);
  slowQuestionsPages(mount);
  jobsPages(mount);
  collectionsPages(mount);
  diagramPages(mount);
  documentsPages(mount);
  socialPages(mount);
  usersPages(mount);
  mailPages(mount);
  webhookPages(mount);
  filesPages(mount);
  aiPages(mount);
  membersPages(mount);
  invitationPages(mount);
}
