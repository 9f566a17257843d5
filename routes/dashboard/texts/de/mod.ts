import type { Texts } from "../en/mod.ts";
import { files } from "./files.tsx";
import { invitations } from "./invitations.tsx";
import { jobs } from "./jobs.tsx";
import { members } from "./members.tsx";
import { projects } from "./projects.tsx";
import { shared } from "./shared.tsx";
import { shell } from "./shell.tsx";

export const de: Texts = { files, invitations, jobs, members, projects, shared, shell };
