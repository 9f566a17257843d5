import type { Child } from "hono/jsx";
import { counted } from "../amounts.ts";

export const projects = {
  title: "Projects",
  done: {
    deleted: "The project is in the trash, and nothing of it can be reached.",
    left: "You left the project.",
    declined: "The invitation is declined.",
  },
  none: (email: string) =>
    "A project holds an application's users, data and files. Make your first one here, or ask to " +
    `have ${email} invited to another one.`,
  paged: "projects",
  holds: (
    { documents, collections, users }: { documents: number; collections: number; users: number },
  ) =>
    `${counted(documents, "document", "documents")} in ` +
    `${counted(collections, "collection", "collections")}, ${counted(users, "user", "users")}`,
  files: "Files",
  create: {
    title: "New project",
    name: "Name",
    siteUrl: "Site URL (optional)",
    siteUrlHint: "Where the application runs: users come back there after signing in.",
    submit: "Create project",
  },
  created: {
    keys: "Keys",
    about: "The secret key is shown this once: copy it now. A lost one is replaced by rotating " +
      "it. The publishable key stays on the project's page.",
    publishableKey: "Publishable key, for browsers",
    secretKey: "Secret key, for servers only",
    open: "Go to the project",
  },
  trash: {
    title: "Trash",
    about: "The operators of this server can restore a project by the command below it. Until it " +
      "is removed for good it counts among the projects that your plan allows.",
    until: (when: Child) => <>can be restored until {when}</>,
  },
  settings: {
    title: "Settings",
    done: { renamed: "The name is saved.", siteUrl: "The Site URL is saved." },
    siteUrl: "Site URL",
    rename: { title: "Name", name: "Project's name", submit: "Rename" },
    id: {
      title: "Project ID",
      label: "ID",
      about: "The command line and the API of owners name the project by it.",
    },
    usage: {
      title: "Plan and limits",
      plan: (name: string) =>
        `The project has the plan of its owner: ${name}. The server's operators change plans.`,
      noPlans: "Plans limit nothing on this server.",
      collections: "Collections",
      documents: (count: string) => `Documents (${count})`,
      files: "Files",
      ownBucket: "Files go to a bucket of the project's own.",
      fileUpTo: (size: string) => `A file has up to ${size}.`,
      aiQueries: "Your AI queries this month",
      aiDesigns: "Your AI designs this month",
      aiTurns: "Your turns with the creator this month",
    },
    owner: {
      title: "Owner",
      about: (link: (text: string) => Child) => (
        <>
          This project is yours. You can offer it to another member on the {link("members page")}:
          {" "}
          it is theirs once they accept.
        </>
      ),
    },
    delete: {
      title: "Delete project",
      about: (days: number) => `It stays in the trash for ${counted(days, "day", "days")}.`,
      loss: (days: number) =>
        "Its keys stop working at once, and its users, documents and files cannot be reached. For " +
        `${counted(days, "day", "days")} the operators of this server can restore it; then it is ` +
        "gone for good.",
      submit: "Delete the project",
      confirm: (name: string) => `Type ${name} to be sure`,
    },
  },
};
