import { jobs } from "./jobs.tsx";
import { shell } from "./shell.tsx";

/** All words of the dashboard, by its rooms. What depends on something is a function of it. */
export const en = { jobs, shell };

export type Texts = typeof en;
