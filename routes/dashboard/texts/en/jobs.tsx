import type { Child } from "hono/jsx";
import { countText } from "../amounts.ts";

const kinds: Readonly<Record<string, string>> = {
  removeObjects: "Remove a file's bytes",
  removeCollection: "Remove the documents of a deleted collection",
};

export const jobs = {
  title: "Jobs",
  about: "What follows from a change and is done in the background. A job that fails is tried " +
    "again by itself, after longer and longer pauses.",
  none: "Nothing waits to be done.",
  more: (count: number) => `and ${countText(count)} more.`,
  job: "Job",
  tries: "Tries",
  nextTry: "Next try",
  since: (when: Child) => <>since {when}</>,
  running: "running now",
  tryNow: "Try now",
  kinds,
  done: {
    done: "The job is done.",
    waiting: "The job is not done yet: it is tried again later.",
  },
};
