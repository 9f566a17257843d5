import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { Tabs } from "../components/shell.tsx";
import { homeOf } from "../frame.ts";

/** The path of the list of files. */
export const filesPathOf = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/files`;

/** @param path Of the list of files. */
export const FilesTabs = ({ path, current }: { path: string; current: string }) => (
  <Tabs
    label="Files"
    current={current}
    tabs={[
      { href: path, label: "Files" },
      { href: `${path}/uploads`, label: "Uploads by users" },
      { href: `${path}/storage`, label: "Storage" },
    ]}
  />
);
