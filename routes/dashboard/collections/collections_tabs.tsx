import { Tabs } from "../components/shell.tsx";

/** The pages of all collections together. @param home Of the project. */
export const CollectionsTabs = ({ home, current }: { home: string; current: string }) => (
  <Tabs
    label="Collections"
    current={current}
    tabs={[
      { href: `${home}/collections`, label: "All collections" },
      { href: `${home}/diagram`, label: "Diagram" },
    ]}
  />
);
