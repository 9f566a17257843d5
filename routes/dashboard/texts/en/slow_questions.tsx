import type { Child } from "hono/jsx";
import { countText } from "../amounts.ts";

/** Texts of conditions by operator. Operators with a sign do not need a text. */
const asked: Readonly<Record<string, (field: string) => string>> = {
  in: (field) => `${field} is one of ?`,
  nin: (field) => `${field} is not one of ?`,
  regex: (field) => `${field} matches ?`,
  exists: (field) => `${field} is there or not`,
};

export const slowQuestions = {
  title: "Slow questions",
  about: (days: number) =>
    `Lists and counts that took long in the last ${days} days, those that took the most in all first. ` +
    "Those that differ in their values alone count as one; no value is kept. New ones appear " +
    "within a minute.",
  none: "No list or count was slow.",
  done: {
    indexed: "The index is created. The collection's figures start again.",
  },
  question: "Question",
  timesAsked: "Asked",
  meanTime: "Mean time",
  helpfulIndex: "Index that would help",
  tooSlow: (count: number) => `${countText(count)} too slow`,
  ms: (ms: number) => `${countText(ms)} ms`,
  p95: (time: string) => `95 of 100 in ${time}`,
  examined: {
    forEach: (count: number) => `${countText(count)} looked at for each answered`,
    forNone: (count: number) => `${countText(count)} looked at, none answered`,
  },
  order: {
    count: "count",
    plain: (fields: string) => `by ${fields}`,
    withTotal: (fields: string) => `by ${fields}, with total`,
    withEstimate: (fields: string) => `by ${fields}, with an estimated total`,
  },
  conditions: {
    and: "and",
    or: "or",
    not: (conditions: string) => `not (${conditions})`,
    asked,
  },
  noAdvice: "none",
  full: (collection: string, indexes: number, link: (text: string) => Child) => (
    <>{collection} has {indexes} indexes: {link("remove one")} first.</>
  ),
  addIndex: "Add index",
};
