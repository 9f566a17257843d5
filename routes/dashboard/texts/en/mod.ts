import { files } from "./files.tsx";
import { invitations } from "./invitations.tsx";
import { jobs } from "./jobs.tsx";
import { members } from "./members.tsx";
import { projects } from "./projects.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";

/** All words of the dashboard, by its rooms. What depends on something is a function of it. */
export const en = { files, invitations, jobs, members, projects, shared, shell };

export type Texts = typeof en;
