import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { Tabs } from "../components/shell.tsx";
import { homeOf } from "../frame.ts";
import { texts } from "../texts/mod.ts";

export const filesPath = (c: PageContext<ProjectMember>): string =>
  `${homeOf(c.var.principal.project._id)}/files`;

export const FilesTabs = ({ path, current }: { path: string; current: string }) => {
  const t = texts().files;
  return (
    <Tabs
      label={t.title}
      current={current}
      tabs={[
        { href: path, label: t.title },
        { href: `${path}/uploads`, label: t.userUploads.title },
        { href: `${path}/storage`, label: t.storage.title },
      ]}
    />
  );
};
