import type { Child } from "hono/jsx";
import type { Plan } from "@/lib/projects/plans.ts";
import { bytesText, counted } from "../amounts.ts";

type Link = (text: string) => Child;

const fields = {
  email: "E-mail",
  name: "Name",
  password: "Password",
  currentPassword: "Current password",
  newPassword: "New password",
  code: "Code",
};

const done = {
  verified: "Your e-mail is verified.",
  name: "Your name is saved.",
  code: "If no other account has this e-mail, a code is on its way to it.",
  email: "Your e-mail is changed.",
  password: "Your password is changed. All other devices are signed out.",
  session: "The session is ended.",
  sessions: "All other sessions are ended.",
  token: "The token is deleted.",
  "ai-key": "The AI key is stored.",
  "ai-key-cleared": "The AI key is cleared.",
};

const you = {
  title: "You",
  registered: "Registered",
  verified: "verified",
  notVerified: "not verified",
  kept: (mailbox: Link) => (
    <>Mails are not sent here, but kept: those to you are in {mailbox("your mailbox")}.</>
  ),
  prove: (enter: Link) => (
    <>A code proves that it is yours. Have you got one? {enter("Enter it")}.</>
  ),
  sendCode: "Send a code",
  /** @param command What sets a password on the server. */
  noMail: (command: Child) => (
    <>
      This server sends no mail, so addresses are not verified. If you forget your password, the
      server's operators set another one by {command}.
    </>
  ),
};

const identity = {
  title: "Name and e-mail",
  nameHint: "Members of your projects see it. Leave it empty to have none.",
  saveName: "Save name",
  newEmail: "New e-mail",
  newEmailHint: "A code is sent to it. Nothing changes until you enter that.",
  changeEmail: "Change e-mail",
  codeHint: "The six digits of the newest mail to the new e-mail.",
  confirm: "Confirm the new e-mail",
};

const plan = {
  title: "Plan",
  isOff: "Plans limit nothing on this server.",
  yours: (name: string) => `You have the ${name} plan. The operators of this server can change it.`,
  owned: "Projects you own",
  trashed: (count: number) => `${counted(count, "project", "projects")} of them in the trash.`,
  ofProject: "In each project",
  project: ({ collections, documentBytes, storageBytes }: Plan) =>
    `${counted(collections, "collection", "collections")}, ` +
    `${bytesText(documentBytes)} of documents, ${bytesText(storageBytes)} of files`,
  ofFile: "One file",
  file: (size: string) => `up to ${size}`,
  ofAi: "AI each month",
  ai: ({ aiQueriesPerMonth, aiDesignsPerMonth, aiTurnsPerMonth }: Plan) =>
    `${counted(aiQueriesPerMonth, "query", "queries")}, ` +
    `${counted(aiDesignsPerMonth, "design", "designs")} of collections, ` +
    `${counted(aiTurnsPerMonth, "turn", "turns")} with their creator`,
  ownAiKey: "Your own AI key",
  yes: "yes",
  no: "no",
};

const ai = {
  title: "AI",
  keySet: "key set",
  noKey: "no key",
  about: (resets: Child) => (
    <>Requests with this server's key are counted. The count starts again {resets}.</>
  ),
  queries: "Queries this month",
  designs: "Designs this month",
  turns: "Turns with the creator this month",
  notInPlan: "Bring your own key (Pro): no monthly limit.",
  keptKey: "Yours is kept, and used again once your plan allows it.",
  ownKey: "Your own key",
  otherKey: "Another key in its place",
  keyHint: "From Groq; it begins with gsk_. It is stored sealed, and never shown again.",
  replace: "Replace key",
  save: "Save key",
  clear: "Clear the key",
  clearLoss: "Your requests count against the plan's caps again. The key cannot be brought back.",
};

const password = {
  title: "Password",
  about: "A new password signs out all devices but this one. Personal access tokens stay.",
  change: "Change password",
};

const sessions = {
  title: "Sessions",
  about: "Where you are signed in. End what you do not know, then change your password.",
  pages: "sessions",
  unknown: "unknown",
  current: "this one",
  used: (when: Child) => <>used {when}</>,
  usedFrom: (network: string, when: Child) => <>network {network} · used {when}</>,
  end: "End",
  endLoss: "This device is signed out at once; what is typed there and not saved is lost.",
  endNow: (device: string) => `End ${device}`,
  endOthers: "End all others",
  endOthersLoss: "All other devices are signed out at once.",
  endOthersNow: "End all other sessions",
};

const tokens = {
  title: "Personal access tokens",
  about:
    "With one of them a program works on your projects as you may, from anywhere: the command " +
    "line, a deployment. None changes your account itself.",
  fresh: (name: string) => `Token ${name}`,
  once: "It is shown this once: copy it now.",
  access: { read: "reads", write: "reads and writes" },
  used: (when: Child) => <>used {when}</>,
  neverUsed: "never used",
  expires: (when: Child) => <>expires {when}</>,
  allProjects: "all projects",
  otherProjects: (count: number) => counted(count, "other project", "other projects"),
  deleteLoss: "Whatever works with this token is refused at once.",
  deleteNow: (name: string) => `Delete ${name}`,
  create: "Create a token",
  form: {
    name: "What it is for",
    nameSample: "Deployment",
    access: "Access",
    read: "Read",
    readHint: "It changes nothing, spends nothing and sees no secret.",
    write: "Read and write",
    writeHint:
      "It does what you may: keys, members and deletion too, where you are an admin or the owner.",
    projects: "Projects",
    all: "All of mine",
    allHint: "Those to come, too. Only such a token creates projects.",
    some: "These",
    someHint: "Tick at least one.",
    noProjects: "You have none so far.",
    days: "Days until it expires",
    daysHint: (max: number) => `From 1 to ${max}.`,
    submit: "Create token",
  },
};

const deletion = {
  title: "Delete account",
  /** @param projects The link to them. */
  owned: (count: number, projects: Link) => (
    <>
      You own{" "}
      {projects(counted(count, "project", "projects"))}: delete them, or offer them to another
      member, first.
    </>
  ),
  loss:
    "Your account, its sessions and tokens, its AI key and your part in the projects of others " +
    "are gone at once, and cannot be brought back.",
  password: "Your password",
  submit: "Delete my account",
};

const mailbox = {
  title: "Mailbox",
  hint: "Codes and invitations to your address will be here.",
};

const codes = {
  forgotten: {
    title: "Forgot your password?",
    about: "You get a code by mail, with which you choose a new one.",
    submit: "Send me a code",
    /** @param command What sets a password on the server. */
    noMail: (command: Child) => (
      <>
        This server sends no mail. Ask its operators for a new password, which they set by{" "}
        {command}.
      </>
    ),
  },
  titles: { verify: "Verify your e-mail", resetPassword: "Choose a new password" },
  sent: {
    verify: (minutes: number) =>
      `If this e-mail can be verified, a code is on its way. It is good for ${minutes} minutes.`,
    resetPassword: (minutes: number) =>
      `If an account has this e-mail, a code is on its way. It is good for ${minutes} minutes.`,
  },
  codeHint: "The six digits of the newest mail.",
  ownPasswordHint:
    "The one that you registered with. If you leave it empty, you choose another one afterwards.",
  signsOut: "All your devices are signed out.",
  submit: { verify: "Verify", resetPassword: "Set password" },
  again: "Send another code",
  toSignIn: "Sign in",
};

const signIn = {
  title: "Sign in",
  done: {
    deleted: "Your account is deleted.",
    verified: "Your e-mail is verified.",
    dropped:
      "Your e-mail is verified. You were not signed in here and gave no password, so the one that was set before is no longer good: choose another one.",
    reset: "Your password is set, and all your devices are signed out.",
  },
  invited: "You are invited to a project: you see it once you are signed in.",
  submit: "Sign in",
  forgotten: "Forgot your password?",
  newHere: (register: Link) => <>New here? {register("Create an account")}</>,
  noAccount: (register: Link) => (
    <>This server has no account yet. {register("Create an account")}</>
  ),
};

const register = {
  title: "Create an account",
  first:
    "This server has no account yet. Yours is the first, and needs no invitation; all later ones " +
    "do.",
  name: "Name (optional)",
  submit: "Create account",
  haveOne: (signIn: Link) => <>Have one? {signIn("Sign in")}</>,
};

export const accounts = {
  title: "Account",
  fields,
  done,
  you,
  identity,
  plan,
  ai,
  password,
  sessions,
  tokens,
  deletion,
  mailbox,
  codes,
  signIn,
  register,
};
