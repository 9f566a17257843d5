import { Tabs } from "../components/shell.tsx";

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
