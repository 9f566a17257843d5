import { collections } from "./collections.tsx";
import { diagram } from "./diagram.tsx";
import { files } from "./files.tsx";
import { invitations } from "./invitations.tsx";
import { jobs } from "./jobs.tsx";
import { mail } from "./mail.tsx";
import { members } from "./members.tsx";
import { overview } from "./overview.tsx";
import { projects } from "./projects.tsx";
import { refusal } from "./refusal.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";
import { signIn } from "./sign_in.tsx";
import { slowQuestions } from "./slow_questions.tsx";
import { webhooks } from "./webhooks.tsx";

/** All words of the dashboard, by its rooms. What depends on something is a function of it. */
export const en = {
  collections,
  diagram,
  files,
  invitations,
  jobs,
  mail,
  members,
  overview,
  projects,
  refusal,
  shared,
  shell,
  signIn,
  slowQuestions,
  webhooks,
};

export type Texts = typeof en;
