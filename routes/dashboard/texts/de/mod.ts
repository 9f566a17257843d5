import type { Texts } from "../en/mod.ts";
import { jobs } from "./jobs.tsx";
import { mail } from "./mail.tsx";
import { shell } from "./shell.tsx";
import { slowQuestions } from "./slow_questions.tsx";
import { webhooks } from "./webhooks.tsx";

export const de: Texts = { jobs, mail, shell, slowQuestions, webhooks };
