import type { Texts } from "../en/mod.ts";
import { jobs } from "./jobs.tsx";
import { refusal } from "./refusal.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";
import { signIn } from "./sign_in.tsx";

export const de: Texts = { jobs, refusal, shared, shell, signIn };
