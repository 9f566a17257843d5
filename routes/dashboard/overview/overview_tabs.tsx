import { Tabs } from "../components/shell.tsx";
import { texts } from "../texts/mod.ts";

export const OverviewTabs = ({ home, current }: { home: string; current: string }) => {
  const { overview: t, slowQuestions, jobs } = texts();
  return (
    <Tabs
      label={t.title}
      current={current}
      tabs={[
        { href: home, label: t.title },
        { href: `${home}/requests`, label: t.requests.title },
        { href: `${home}/slow-questions`, label: slowQuestions.title },
        { href: `${home}/jobs`, label: jobs.title },
      ]}
    />
  );
};
