import type { Child } from "hono/jsx";
import type { CALLER_KINDS } from "@/lib/projects/list_requests.ts";
import { counted, countText } from "../amounts.ts";

const callers: Readonly<Record<(typeof CALLER_KINDS)[number], string>> = {
  publishable: "Publishable key",
  secret: "Secret key",
  account: "Member, signed in",
  accountToken: "Personal access token",
};

export const requests = {
  title: "Requests",
  about: (days: number) =>
    `Requests to the API of the last ${days} days that were refused or failed. Bodies, keys, ` +
    "queries and addresses are not kept.",
  none: "No request was refused or failed.",
  noMatch: "No request that is kept matches.",
  /** Name of the items in page links, in the plural. */
  pages: "requests",
  callers,
  recording: {
    until: (when: Child) => <>All requests are listed until {when}.</>,
    all: (minutes: number) => `List all requests for ${counted(minutes, "minute", "minutes")}`,
    failed: "List only those that fail",
  },
  filters: {
    operation: "Operation",
    status: "Status",
    anyStatus: "Any",
    statuses: {
      "4xx": "Refused (4xx)",
      "5xx": "Failed (5xx)",
      "2xx": "Went well (2xx)",
    },
    problem: "Problem",
    caller: "Caller",
    anyCaller: "Anybody",
    when: "When",
    anyTime: "Any time",
    within: {
      hour: "The last hour",
      day: "The last day",
    },
    filter: "Filter",
    showAll: "Show all",
  },
  table: {
    operation: "Operation",
    noOperation: "no operation",
    status: "Status",
    caller: "Caller",
    time: "Time",
    ms: (ms: number) => `${countText(ms)} ms`,
    when: "When",
    leftOut: (count: number) => `${countText(count)} more in this second`,
  },
};
