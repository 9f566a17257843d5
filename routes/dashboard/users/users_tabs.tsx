import { Tabs } from "../components/shell.tsx";
import { texts } from "../texts/mod.ts";

export const UsersTabs = ({ path, current }: { path: string; current: string }) => {
  const { list, fields } = texts().users;
  return (
    <Tabs
      label={list.title}
      current={current}
      tabs={[{ href: path, label: list.title }, { href: `${path}/fields`, label: fields.tab }]}
    />
  );
};
