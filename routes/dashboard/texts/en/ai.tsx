import type { Child } from "hono/jsx";
import type { Message } from "@/lib/ai/model.ts";
import { counted } from "../amounts.ts";

const speakers: Readonly<Record<Message["role"], string>> = {
  user: "You",
  assistant: "Creator",
};

const usage = {
  title: "Your use",
  ofOwnKey: "This project asks with its own key: nothing is counted here and no cap applies.",
  ofServerKey: (plan: string) =>
    `What you ask with this server's key, in all projects together, on the ${plan} plan.`,
  queries: "Queries this month",
  designs: "Designs this month",
  turns: "Turns with the creator this month",
  resets: (when: Child) => <>The count starts again {when}</>,
};

const key = {
  title: "Key of this project",
  stored: "stored",
  about: {
    stored: "All AI requests of this project use the stored key, for every member. No cap applies.",
    none: "With a key of your own all AI requests of this project go with it, and no cap applies.",
    unused: "A key is stored, but the owner's plan does not use it: that takes the Pro plan.",
    notInPlan: "A key of your own takes the Pro plan of the project's owner. Then no cap applies.",
  },
  newKey: "New key, in place of the stored one",
  providerKey: "AI provider key",
  hint: "Begins with gsk_. It is kept sealed and never shown again.",
  replace: "Replace key",
  save: "Save key",
  clear: "Clear key",
  clearLoss:
    "The project then asks with your account's key or that of this server, within its caps.",
  clearNow: "Clear the key",
  done: {
    saved: "The key is saved. It is kept sealed and never shown.",
    cleared: "The key is cleared.",
  },
};

const designer = {
  title: "Design collections",
  restart: "Start over",
  restartLoss: "This chat and its proposal will be forgotten. Collections stay.",
  restartNow: "Forget the chat",
  onlyAdmins: "Only admins of the project talk to the collection creator.",
  speakers,
  empty:
    "Say what your application is about and what it keeps. A proposal is shown as cards, and " +
    "nothing is created before you add it.",
  first: { label: "Your application", sample: "A blog with posts, comments and tags." },
  next: { label: "Your answer", sample: "Posts need a date, too." },
  send: "Send",
  turnsLeft: (count: number) => `${counted(count, "turn", "turns")} left in this chat`,
  unreachable: "The server cannot be reached. Try again.",
  cutOff: "The answer was cut off. Try again.",
};

const proposal = {
  title: (count: number) => `Proposed: ${counted(count, "collection", "collections")}`,
  made: "These are in the project now. Say more to have others proposed.",
  add: "Add these",
  required: "required",
  unique: "unique",
  index: "index",
  search: "search",
  refTo: (collection: string) => `Ref to ${collection}`,
  arrayOf: (type: string) => `Array of ${type}`,
};

export const ai = {
  title: "AI",
  creator: {
    title: "Collection creator",
    about: "Say what your application keeps, and have its collections designed.",
    open: "Design collections",
  },
  usage,
  key,
  designer,
  proposal,
};
