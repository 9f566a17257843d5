import { jobs } from "./jobs.tsx";
import { refusal } from "./refusal.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";
import { signIn } from "./sign_in.tsx";

/** All words of the dashboard, by its rooms. What depends on something is a function of it. */
export const en = { jobs, refusal, shared, shell, signIn };

export type Texts = typeof en;
