import { Tabs } from "../components/shell.tsx";
import { texts } from "../texts/mod.ts";

export const CollectionsTabs = ({ home, current }: { home: string; current: string }) => {
  const { collections: t, diagram } = texts();
  return (
    <Tabs
      label={t.title}
      current={current}
      tabs={[
        { href: `${home}/collections`, label: t.all },
        { href: `${home}/diagram`, label: diagram.title },
      ]}
    />
  );
};
