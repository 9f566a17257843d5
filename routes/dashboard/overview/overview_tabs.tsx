import { Tabs } from "../components/shell.tsx";

/** The pages that tell how a project is doing. @param home Of the project. */
export const OverviewTabs = ({ home, current }: { home: string; current: string }) => (
  <Tabs
    label="Overview"
    current={current}
    tabs={[
      { href: home, label: "Overview" },
      { href: `${home}/requests`, label: "Requests" },
      { href: `${home}/slow-questions`, label: "Slow questions" },
      { href: `${home}/jobs`, label: "Jobs" },
    ]}
  />
);
