import { jobs } from "./jobs.tsx";
import { shell } from "./shell.tsx";
import { slowQuestions } from "./slow_questions.tsx";

/** All words of the dashboard, by its rooms. What depends on something is a function of it. */
export const en = { jobs, shell, slowQuestions };

export type Texts = typeof en;
