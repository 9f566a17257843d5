import { Tabs } from "../components/shell.tsx";

/** @param path Of the list of users. */
export const UsersTabs = ({ path, current }: { path: string; current: string }) => (
  <Tabs
    label="Users"
    current={current}
    tabs={[{ href: path, label: "Users" }, { href: `${path}/fields`, label: "Fields" }]}
  />
);
