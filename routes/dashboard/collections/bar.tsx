import type { Child } from "hono/jsx";
import type { CollectionDefinition, RlsSetting } from "@/lib/documents/fields.ts";
import { Bar, Tabs } from "../components/shell.tsx";
import type { Frame } from "../frame.ts";
import { texts } from "../texts/mod.ts";
import { type AccessChoice, choiceOf } from "./access_choices.tsx";

/** Returns the path of a collection's documents, the prefix of the paths of its other pages. */
export const collectionPath = (home: string, name: string): string =>
  `${home}/collections/${encodeURIComponent(name)}`;

export type CollectionTab = "documents" | "fields" | "access" | "api";

const TABS: readonly CollectionTab[] = ["documents", "fields", "access", "api"];

export const tabPath = (home: string, name: string, tab: CollectionTab): string =>
  tab === "documents" ? collectionPath(home, name) : `${collectionPath(home, name)}/${tab}`;

const BADGES: Readonly<Record<AccessChoice, string>> = {
  off: "badge warn",
  private: "badge",
  "public-read": "badge on",
};

export const AccessBadge = ({ rls }: { rls: RlsSetting }) => {
  const choice = choiceOf(rls);
  return <span class={BADGES[choice]}>{texts().collections.bar.badges[choice]}</span>;
};

export const CollectionBar = (
  { frame: { home }, collection: { name, rls }, current, children }: {
    frame: Frame;
    collection: CollectionDefinition;
    current: CollectionTab;
    children?: Child;
  },
) => {
  const t = texts().collections.bar;
  return (
    <Bar title={name}>
      <AccessBadge rls={rls} />
      <Tabs
        label={t.pagesOf(name)}
        tabs={TABS.map((tab) => ({ href: tabPath(home, name, tab), label: t[tab] }))}
        current={tabPath(home, name, current)}
      />
      {children !== undefined && <span class="grow"></span>}
      {children}
    </Bar>
  );
};
