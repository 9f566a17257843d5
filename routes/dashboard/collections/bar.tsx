import type { Child } from "hono/jsx";
import type { CollectionDefinition, RlsSetting } from "@/lib/documents/fields.ts";
import { Bar, Tabs } from "../components/shell.tsx";
import type { Frame } from "../frame.ts";

/** Where a collection's documents are, with which the paths of its other pages begin. */
export const collectionPath = (home: string, name: string): string =>
  `${home}/collections/${encodeURIComponent(name)}`;

export type CollectionTab = "documents" | "fields" | "access" | "api";

const TABS: readonly { readonly tab: CollectionTab; readonly label: string }[] = [
  { tab: "documents", label: "Documents" },
  { tab: "fields", label: "Fields" },
  { tab: "access", label: "Access" },
  { tab: "api", label: "API" },
];

export const tabPath = (home: string, name: string, tab: CollectionTab): string =>
  tab === "documents" ? collectionPath(home, name) : `${collectionPath(home, name)}/${tab}`;

/** The three ways in which rows can be shared, in a word or two. */
const accessWords = ({ enabled, mode }: RlsSetting) =>
  !enabled ? "no row rules" : mode === "private" ? "private" : "public, read-only";

const BADGES = {
  "no row rules": "badge warn",
  "private": "badge",
  "public, read-only": "badge on",
};

export const AccessBadge = ({ rls }: { rls: RlsSetting }) => {
  const words = accessWords(rls);
  return <span class={BADGES[words]}>{words}</span>;
};

/** At the head of each of a collection's pages; the children are at its right. */
export const CollectionBar = (
  { frame: { home }, collection: { name, rls }, current, children }: {
    frame: Frame;
    collection: CollectionDefinition;
    current: CollectionTab;
    children?: Child;
  },
) => (
  <Bar title={name}>
    <AccessBadge rls={rls} />
    <Tabs
      label={`Pages of ${name}`}
      tabs={TABS.map(({ tab, label }) => ({ href: tabPath(home, name, tab), label }))}
      current={tabPath(home, name, current)}
    />
    {children !== undefined && <span class="grow"></span>}
    {children}
  </Bar>
);
