import { accounts } from "./accounts.tsx";
import { ai } from "./ai.tsx";
import { collections } from "./collections.tsx";
import { diagram } from "./diagram.tsx";
import { documents } from "./documents.tsx";
import { files } from "./files.tsx";
import { invitations } from "./invitations.tsx";
import { jobs } from "./jobs.tsx";
import { mail } from "./mail.tsx";
import { members } from "./members.tsx";
import { overview } from "./overview.tsx";
import { projects } from "./projects.tsx";
import { refusal } from "./refusal.tsx";
import { requests } from "./requests.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";
import { signIn } from "./sign_in.tsx";
import { slowQuestions } from "./slow_questions.tsx";
import { users } from "./users.tsx";
import { webhooks } from "./webhooks.tsx";

export const en = {
  accounts,
  ai,
  collections,
  diagram,
  documents,
  files,
  invitations,
  jobs,
  mail,
  members,
  overview,
  projects,
  refusal,
  requests,
  shared,
  shell,
  signIn,
  slowQuestions,
  users,
  webhooks,
};

export type Texts = typeof en;
